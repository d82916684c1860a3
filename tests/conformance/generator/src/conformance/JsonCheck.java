// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * Compares what the walker has read with what Kafka itself has: its JSON of the message parsed by Kafka, and, for the
 * unknown tags that the JSON leaves out, the parsed message. A difference ends the run: the corpus must not be wrong.
 */
final class JsonCheck {
    private JsonCheck() {
    }

    static void check(String name, int version, Object message, List<Node> nodes) {
        try {
            Class<?> converter = Reflect.find(Reflect.dataClass(name).getName() + "JsonConverter");
            Method write = converter.getMethod("write", message.getClass(), short.class, boolean.class);
            JsonNode json = (JsonNode) write.invoke(null, message, (short) version, false);
            fields(name, nodes, json, message);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void fields(String path, List<Node> nodes, JsonNode json, Object object) {
        int count = 0;
        Iterator<RawTaggedField> unknown = Reflect.unknownTags(object).iterator();
        for (Node node : nodes) {
            if (!node.type.equals("tags")) {
                field(path, node, json, object);
                count++;
                continue;
            }
            for (Node tag : node.children) {
                Node content = tag.children.get(2);
                if (content.type.equals("raw")) {
                    require(unknown.hasNext(), path, "an unknown tag that Kafka has not");
                    RawTaggedField raw = unknown.next();
                    require(raw.tag() == (long) tag.children.get(0).value, path, "another unknown tag");
                    require(Arrays.equals(raw.data(), (byte[]) content.value), path, "unknown tag of other data");
                } else {
                    field(path, content, json, object);
                    count++;
                }
            }
        }
        require(!unknown.hasNext(), path, "an unknown tag was missed");
        require(count == json.size(), path, "Kafka has " + json.size() + " fields, the walker " + count);
    }

    private static void field(String path, Node node, JsonNode parent, Object object) {
        String here = path + "." + node.name;
        String key = Reflect.lowerFirst(node.name);
        if (node.type.equals("records") && node.value != null) {
            JsonNode size = parent.get(key + "SizeInBytes");
            require(size != null && size.asInt() == ((byte[]) node.value).length, here, "size of records " + size);
            return;
        }
        JsonNode json = parent.get(key);
        require(json != null, here, "not in Kafka's JSON");
        value(here, node, json, Reflect.get(object, node.name));
    }

    private static void value(String path, Node node, JsonNode json, Object object) {
        require((node.value == null) == json.isNull(), path, "null in one only");
        if (node.value == null) {
            return;
        }
        switch (node.type) {
            case "array" -> array(path, node, json, (Collection<?>) object);
            case "struct" -> fields(path, node.children, json, object);
            default -> scalar(path, node, json);
        }
    }

    private static void array(String path, Node node, JsonNode json, Collection<?> objects) {
        require((long) node.value == json.size(), path, "count " + json.size());
        Iterator<?> object = objects.iterator();
        for (int i = 0; i < json.size(); i++) {
            value(path + "[" + i + "]", node.children.get(i), json.get(i), object.next());
        }
    }

    private static void scalar(String path, Node node, JsonNode json) {
        boolean same = switch (node.type) {
            case "bool" -> json.isBoolean() && json.booleanValue() == (boolean) node.value;
            case "int8", "int16", "uint16", "int32", "uint32", "int64" ->
                    json.isIntegralNumber() && json.longValue() == (long) node.value;
            case "float64" -> Double.compare(json.doubleValue(), (double) node.value) == 0;
            case "string" -> json.isTextual() && json.textValue().equals(node.value);
            case "uuid" -> json.isTextual() && json.textValue().equals(uuid((byte[]) node.value).toString());
            case "bytes" -> Arrays.equals(binary(json), (byte[]) node.value);
            default -> false;
        };
        require(same, path, "Kafka has " + json + ", the walker " + node.toJson());
    }

    private static Uuid uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Uuid(buffer.getLong(), buffer.getLong());
    }

    private static byte[] binary(JsonNode json) {
        try {
            return json.binaryValue();
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void require(boolean condition, String path, String what) {
        if (!condition) {
            throw new IllegalStateException(path + ": " + what);
        }
    }
}
