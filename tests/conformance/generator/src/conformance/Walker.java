// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the bytes of a message by its definition and says where each field lies. It shares nothing with Kafka's
 * generated readers, which know no offsets; JsonCheck compares what both have read.
 */
final class Walker {
    private final ByteBuffer buffer;
    private final Definition definition;
    private final int version;
    private final boolean flexible;

    /** The buffer holds the whole PDU, and its position is where the message begins. */
    Walker(ByteBuffer buffer, Definition definition, int version) {
        this.buffer = buffer;
        this.definition = definition;
        this.version = version;
        this.flexible = definition.flexible.contains(version);
    }

    /** The fields of the message and its tag section; the buffer's position is behind them then. */
    List<Node> walk() {
        Node root = new Node("", "struct", buffer.position());
        fields(root, definition.fields);
        return root.children;
    }

    private void fields(Node parent, List<Definition.Field> fields) {
        for (Definition.Field field : fields) {
            if (field.versions.contains(version) && !field.taggedIn(version)) {
                parent.children.add(field(field, false));
            }
        }
        if (flexible) {
            tags(parent, fields);
        }
    }

    private void tags(Node parent, List<Definition.Field> fields) {
        Node section = new Node("", "tags", buffer.position());
        long count = uvarint();
        for (long i = 0; i < count; i++) {
            section.children.add(tag(fields));
        }
        section.value = count;
        end(section);
        // An empty section is no more than the last byte of what it ends.
        if (count > 0) {
            parent.children.add(section);
        }
    }

    private Node tag(List<Definition.Field> fields) {
        Node tag = new Node("", "tag", buffer.position());
        Node number = new Node("", "tagNumber", buffer.position());
        number.value = uvarint();
        end(number);
        Node size = new Node("", "tagSize", buffer.position());
        size.value = uvarint();
        end(size);
        tag.children.add(number);
        tag.children.add(size);
        int last = buffer.position() + (int) (long) size.value;
        Node content = null;
        for (Definition.Field field : fields) {
            if (field.versions.contains(version) && field.taggedIn(version) && field.tag == (long) number.value) {
                content = field(field, true);
            }
        }
        if (content == null) {
            content = new Node("", "raw", buffer.position());
            content.value = take(last - buffer.position());
            end(content);
        }
        tag.children.add(content);
        require(buffer.position() == last, "tagged field of another size");
        end(tag);
        return tag;
    }

    private Node field(Definition.Field field, boolean tagged) {
        return field.array ? array(field)
                : field.isStruct() ? struct(field.name, field, !tagged && field.nullable.contains(version), tagged)
                : scalar(field.name, field);
    }

    private Node array(Definition.Field field) {
        Node array = new Node(field.name, "array", buffer.position());
        long count = flexible ? uvarint() - 1 : buffer.getInt();
        require(count >= 0 || field.nullable.contains(version), "null array " + field.name);
        array.value = count < 0 ? null : count;
        for (int i = 0; i < count; i++) {
            String index = Integer.toString(i);
            array.children.add(field.isStruct() ? struct(index, field, false, false) : scalar(index, field));
        }
        end(array);
        return array;
    }

    private Node struct(String name, Definition.Field field, boolean nullable, boolean tagged) {
        Node struct = new Node(name, "struct", buffer.position());
        // A nullable structure begins with a byte that tells; Kafka writes it as a varint when the field is tagged.
        boolean present = true;
        if (nullable) {
            present = buffer.get() >= 0;
        } else if (tagged && field.nullable.contains(version)) {
            present = uvarint() != 0;
        }
        struct.value = present ? Boolean.TRUE : null;
        if (present) {
            fields(struct, field.struct);
        }
        end(struct);
        return struct;
    }

    private Node scalar(String name, Definition.Field field) {
        Node node = new Node(name, field.type, buffer.position());
        boolean compact = field.flexible.contains(version);
        node.value = switch (field.type) {
            case "bool" -> buffer.get() != 0;
            case "int8" -> (long) buffer.get();
            case "int16" -> (long) buffer.getShort();
            case "uint16" -> buffer.getShort() & 0xffffL;
            case "int32" -> (long) buffer.getInt();
            case "uint32" -> buffer.getInt() & 0xffffffffL;
            case "int64" -> buffer.getLong();
            case "float64" -> buffer.getDouble();
            case "uuid" -> take(16);
            case "string" -> {
                byte[] text = take(compact ? uvarint() - 1 : buffer.getShort());
                yield text == null ? null : utf8(text);
            }
            case "bytes", "records" -> take(compact ? uvarint() - 1 : buffer.getInt());
            default -> throw new IllegalStateException("type " + field.type);
        };
        end(node);
        return node;
    }

    private long uvarint() {
        long value = 0;
        for (int shift = 0;; shift += 7) {
            byte next = buffer.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private byte[] take(long length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = Arrays.copyOfRange(buffer.array(), buffer.position(), buffer.position() + (int) length);
        buffer.position(buffer.position() + (int) length);
        return bytes;
    }

    private static String utf8(byte[] text) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private void end(Node node) {
        node.length = buffer.position() - node.offset;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
