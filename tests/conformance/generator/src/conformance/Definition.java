// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One of Kafka's message definitions (common/message/X.json in the jar), read by rules of our own. */
final class Definition {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    final String name;
    final Versions valid;
    final Versions flexible;
    final List<Field> fields;

    /** A field of a message or of a structure. */
    static final class Field {
        String name;
        /** The type without the brackets of an array: a scalar's name or a structure's. */
        String type;
        boolean array;
        Versions versions;
        Versions nullable;
        Versions tagged;
        /** Differs from the message's only for the client id, which is never compact. */
        Versions flexible;
        int tag;
        /** The fields of the structure that this field is, or is an array of; null for scalars. */
        List<Field> struct;

        boolean taggedIn(int version) {
            return tag >= 0 && tagged.contains(version);
        }

        boolean isStruct() {
            return struct != null;
        }
    }

    private final Map<String, List<Field>> structs = new HashMap<>();

    private Definition(JsonNode root) {
        name = root.get("name").asText();
        valid = Versions.parse(text(root, "validVersions"), Versions.NONE);
        flexible = Versions.parse(text(root, "flexibleVersions"), Versions.NONE);
        // Common structures may use one another in any order, so their names come first and their fields after.
        JsonNode common = root.path("commonStructs");
        for (JsonNode struct : common) {
            structs.put(struct.get("name").asText(), new ArrayList<>());
        }
        for (JsonNode struct : common) {
            structs.get(struct.get("name").asText()).addAll(readFields(struct));
        }
        fields = readFields(root);
    }

    /** Reads a definition that a Kafka jar on the class path of the given loader holds; null where there is none. */
    static Definition load(ClassLoader loader, String name) throws IOException {
        try (InputStream in = loader.getResourceAsStream("common/message/" + name + ".json")) {
            return in == null ? null : new Definition(MAPPER.readTree(in));
        }
    }

    private static String text(JsonNode node, String key) {
        return node.hasNonNull(key) ? node.get(key).asText() : null;
    }

    private List<Field> readFields(JsonNode parent) {
        List<Field> result = new ArrayList<>();
        for (JsonNode node : parent.path("fields")) {
            result.add(readField(node));
        }
        return result;
    }

    private Field readField(JsonNode node) {
        Field field = new Field();
        field.name = node.get("name").asText();
        String type = node.get("type").asText();
        field.array = type.startsWith("[]");
        field.type = field.array ? type.substring(2) : type;
        field.versions = Versions.parse(text(node, "versions"), Versions.NONE);
        field.nullable = Versions.parse(text(node, "nullableVersions"), Versions.NONE);
        field.tag = node.hasNonNull("tag") ? Integer.parseInt(node.get("tag").asText()) : -1;
        field.tagged = Versions.parse(text(node, "taggedVersions"), Versions.NONE);
        field.flexible = Versions.parse(text(node, "flexibleVersions"), flexible);
        if (Character.isUpperCase(field.type.charAt(0))) {
            List<Field> known = structs.get(field.type);
            if (known == null) {
                known = new ArrayList<>();
                structs.put(field.type, known);
                known.addAll(readFields(node));
            }
            field.struct = known;
        }
        return field;
    }

    /** What the bytes of one version look like, as a text: two releases agree on a version when the texts do. */
    String layout(int version) {
        StringBuilder out = new StringBuilder();
        out.append(flexible.contains(version) ? "flexible" : "plain");
        layout(fields, version, out);
        return out.toString();
    }

    private static void layout(List<Field> fields, int version, StringBuilder out) {
        out.append('{');
        for (Field field : fields) {
            if (!field.versions.contains(version)) {
                continue;
            }
            if (field.taggedIn(version)) {
                out.append(field.tag).append('=');
            }
            out.append(field.array ? "[]" : "");
            out.append(field.isStruct() ? "" : field.type);
            out.append(field.nullable.contains(version) ? "?" : "");
            if (field.isStruct()) {
                layout(field.struct, version, out);
            }
            out.append(';');
        }
        out.append('}');
    }
}
