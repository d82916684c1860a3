// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** One request or response as it goes over the wire, with what must be found in it. */
final class Pdu {
    private static final int LENGTH_SIZE = 4;

    /** Kafka's name of the message, such as MetadataRequest. */
    final String message;
    final boolean request;
    final int apiKey;
    final int version;
    final int headerVersion;
    final int correlationId;
    final Shape shape;
    final byte[] bytes;
    final List<Node> head;
    final List<Node> body;
    /** The packet in which its last byte is sent, from 1; known once the capture is written. */
    int frame;

    private Pdu(String message, boolean request, int apiKey, int version, int headerVersion, int correlationId,
                Shape shape, byte[] bytes, List<Node> head, List<Node> body) {
        this.message = message;
        this.request = request;
        this.apiKey = apiKey;
        this.version = version;
        this.headerVersion = headerVersion;
        this.correlationId = correlationId;
        this.shape = shape;
        this.bytes = bytes;
        this.head = head;
        this.body = body;
    }

    static Pdu request(RequestHeaderData header, int headerVersion, Message body, Shape shape, Source source) {
        int version = header.requestApiVersion();
        return build(true, header, headerVersion, header.requestApiKey(), version, header.correlationId(), body, shape,
                source);
    }

    static Pdu response(ResponseHeaderData header, int headerVersion, int apiKey, int version, Message body,
                        Shape shape, Source source) {
        return build(false, header, headerVersion, apiKey, version, header.correlationId(), body, shape, source);
    }

    /** Kafka writes the PDU and reads it again, the walker finds its fields, and all three must agree. */
    private static Pdu build(boolean request, Message header, int headerVersion, int apiKey, int version,
                             int correlationId, Message body, Shape shape, Source source) {
        String headerName = request ? "RequestHeader" : "ResponseHeader";
        String bodyName = source.messageName(apiKey, request);
        byte[] headerBytes = write(header, headerVersion);
        byte[] bodyBytes = write(body, version);
        ByteBuffer pdu = ByteBuffer.allocate(LENGTH_SIZE + headerBytes.length + bodyBytes.length);
        pdu.putInt(headerBytes.length + bodyBytes.length).put(headerBytes).put(bodyBytes);

        pdu.position(LENGTH_SIZE);
        List<Node> head = new Walker(pdu, source.definition(headerName), headerVersion).walk();
        JsonCheck.check(headerName, headerVersion, parse(headerName, headerBytes, headerVersion), head);
        List<Node> nodes = new Walker(pdu, source.definition(bodyName), version).walk();
        if (pdu.hasRemaining()) {
            throw new IllegalStateException(bodyName + " version " + version + ": the walker left bytes");
        }
        JsonCheck.check(bodyName, version, parse(bodyName, bodyBytes, version), nodes);
        return new Pdu(bodyName, request, apiKey, version, headerVersion, correlationId, shape, pdu.array(), head,
                nodes);
    }

    private static byte[] write(Message message, int version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, (short) version));
        message.write(new ByteBufferAccessor(buffer), cache, (short) version);
        if (buffer.hasRemaining()) {
            throw new IllegalStateException("size of " + message.getClass());
        }
        return buffer.array();
    }

    private static ApiMessage parse(String name, byte[] bytes, int version) {
        ApiMessage message = (ApiMessage) Reflect.create(Reflect.dataClass(name));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        message.read(new ByteBufferAccessor(buffer), (short) version);
        if (buffer.hasRemaining() || !Arrays.equals(bytes, write(message, version))) {
            throw new IllegalStateException(name + " version " + version + ": Kafka reads other bytes than it wrote");
        }
        return message;
    }

    ObjectNode toJson(String release) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        out.put("frame", frame);
        out.put("message", message);
        out.put("dir", request ? "request" : "response");
        out.put("api", apiKey);
        out.put("version", version);
        out.put("header", headerVersion);
        out.put("correlation", correlationId);
        out.put("kafka", release);
        out.put("shape", shape.name().toLowerCase(java.util.Locale.ROOT));
        out.put("length", bytes.length);
        out.set("head", list(head));
        out.set("body", list(body));
        return out;
    }

    private static ArrayNode list(List<Node> nodes) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        nodes.forEach(node -> out.add(node.toJson()));
        return out;
    }
}
