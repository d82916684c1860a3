// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** One piece of a PDU: where it is, and what it says. Offsets count from the PDU's first byte, the 4-byte length. */
final class Node {
    /** Kafka's name of the field; an index for an element of an array; empty for a tag section and what is in it. */
    final String name;
    /** Kafka's type, or array, struct, tags, tag, raw. */
    final String type;
    final int offset;
    int length;
    /** Long, Boolean, Double, String, byte[] or null. */
    Object value;
    final List<Node> children = new ArrayList<>();

    Node(String name, String type, int offset) {
        this.name = name;
        this.type = type;
        this.offset = offset;
    }

    /** The form that README.md describes: [name, type, offset, length, value, children]. */
    ArrayNode toJson() {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        out.add(name).add(type).add(offset).add(length);
        if (value == null) {
            out.addNull();
        } else if (value instanceof Long number) {
            out.add(number);
        } else if (value instanceof Boolean bool) {
            out.add(bool);
        } else if (value instanceof Double number) {
            // JSON has no infinity and no NaN: the eight bytes say it all.
            out.add(HexFormat.of().toHexDigits(Double.doubleToRawLongBits(number)));
        } else if (value instanceof byte[] bytes) {
            out.add(HexFormat.of().formatHex(bytes));
        } else {
            out.add((String) value);
        }
        if (!children.isEmpty()) {
            ArrayNode list = out.addArray();
            for (Node child : children) {
                list.add(child.toJson());
            }
        }
        return out;
    }
}
