// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Fills Kafka's generated classes with random values that are valid in one version. */
final class MessageMaker {
    private static final byte MESSAGE_SET = 0;
    private static final byte MESSAGE_SET_WITH_TIME = 1;
    private static final byte BATCH = 2;

    private final Values values;
    private final Batches batches;
    private final Definition definition;
    private final int version;
    private final Shape shape;
    /** Below this an unknown tag may be one that another release knows. */
    private final int lowestUnknownTag;

    MessageMaker(Random random, Definition definition, int version, Shape shape, int lowestUnknownTag) {
        this.values = new Values(random);
        this.batches = new Batches(values);
        this.definition = definition;
        this.version = version;
        this.shape = shape;
        this.lowestUnknownTag = lowestUnknownTag;
    }

    Object make() {
        Object message = Reflect.create(Reflect.dataClass(definition.name));
        fill(message, definition.fields);
        return message;
    }

    private void fill(Object target, List<Definition.Field> fields) {
        for (Definition.Field field : fields) {
            boolean skipped = field.taggedIn(version)
                    && (shape == Shape.SPARSE || shape == Shape.RANDOM && values.chance(0.4));
            if (!field.versions.contains(version) || skipped) {
                continue;
            }
            Method setter = Reflect.setter(target.getClass(), field.name);
            Reflect.call(setter, target, value(field, setter.getParameterTypes()[0]));
        }
        if (definition.flexible.contains(version)) {
            addUnknownTags(target, fields);
        }
    }

    private void addUnknownTags(Object target, List<Definition.Field> fields) {
        if (shape == Shape.SPARSE || values.chance(shape == Shape.FULL ? 0.3 : 0.7)) {
            return;
        }
        // Kafka refuses a tag that it knows from another version of the message, too.
        Set<Integer> known = new HashSet<>();
        for (Definition.Field field : fields) {
            known.add(field.tag);
        }
        Set<Integer> tags = new TreeSet<>();
        int wanted = 1 + values.below(3);
        for (int i = 0; i < wanted; i++) {
            int tag = values.unknownTag();
            if (tag >= lowestUnknownTag && !known.contains(tag)) {
                tags.add(tag);
            }
        }
        for (int tag : tags) {
            byte[] data = values.chance(0.15) ? new byte[0] : values.bytes();
            Reflect.unknownTags(target).add(new RawTaggedField(tag, data));
        }
    }

    private Object value(Definition.Field field, Class<?> holder) {
        boolean nullable = field.nullable.contains(version);
        if (nullable && (shape == Shape.SPARSE && values.chance(0.7) || shape == Shape.RANDOM && values.chance(0.3))) {
            return null;
        }
        if (field.array) {
            return array(field, holder);
        }
        return field.isStruct() ? struct(field, holder) : scalar(field, holder);
    }

    private Object struct(Definition.Field field, Class<?> type) {
        Object struct = Reflect.create(type);
        fill(struct, field.struct);
        return struct;
    }

    @SuppressWarnings("unchecked")
    private Object array(Definition.Field field, Class<?> holder) {
        int count = switch (shape) {
            case FULL -> 1 + values.below(3);
            case SPARSE -> 0;
            case RANDOM -> values.below(field.isStruct() ? 4 : 6);
        };
        // Arrays with a map key are a class of Kafka's own, the others a plain list.
        Collection<Object> result =
                holder == List.class ? new ArrayList<>() : (Collection<Object>) Reflect.create(holder);
        Class<?> element = field.isStruct()
                ? Reflect.find(Reflect.dataClass(definition.name).getName() + "$" + field.type) : Object.class;
        for (int i = 0; i < count; i++) {
            result.add(field.isStruct() ? struct(field, element) : scalar(field, element));
        }
        return result;
    }

    private Object scalar(Definition.Field field, Class<?> holder) {
        boolean sparse = shape == Shape.SPARSE;
        boolean empty = sparse || shape == Shape.RANDOM && values.chance(0.15);
        return switch (field.type) {
            case "bool" -> sparse ? false : shape == Shape.FULL || values.bool();
            case "int8" -> (byte) (sparse ? 0 : values.integer(8, false));
            case "int16" -> (short) (sparse ? 0 : values.integer(16, false));
            case "uint16" -> (int) (sparse ? 0 : values.integer(16, true));
            case "int32" -> (int) (sparse ? 0 : values.integer(32, false));
            case "uint32" -> sparse ? 0L : values.integer(32, true);
            case "int64" -> sparse ? 0L : values.integer(64, false);
            case "float64" -> sparse ? 0.0 : values.float64();
            case "uuid" -> sparse ? org.apache.kafka.common.Uuid.ZERO_UUID : values.uuid();
            case "string" -> empty ? "" : string();
            case "bytes" -> {
                byte[] bytes = empty ? new byte[0] : values.bytes();
                yield holder == ByteBuffer.class ? ByteBuffer.wrap(bytes) : bytes;
            }
            case "records" -> empty ? batches.empty() : batches.some(magic());
            default -> throw new IllegalStateException("type " + field.type);
        };
    }

    private String string() {
        return shape == Shape.RANDOM && values.chance(0.002) ? Values.longestString() : values.string();
    }

    /** The newest records that a version may carry: times came with Produce 2 and Fetch 2, batches with 3 and 4. */
    private byte magic() {
        boolean produce = definition.name.equals("ProduceRequest");
        if (!produce && !definition.name.equals("FetchResponse")) {
            return BATCH;
        }
        int batches = produce ? 3 : 4;
        return version < 2 ? MESSAGE_SET : version < batches ? MESSAGE_SET_WITH_TIME : BATCH;
    }
}
