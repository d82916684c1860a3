// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Makes one capture, and the list of what is in it, for each API that one Kafka release speaks in its own way. */
public final class Main {
    private static final Shape[] SHAPES = {Shape.FULL, Shape.SPARSE, Shape.RANDOM, Shape.RANDOM};
    private static final int PAIRS_PER_CONNECTION = 12;
    private static final int[] SEGMENTS = {1460, 1460, 536, 100};
    private static final int FIRST_CLIENT_PORT = 49152;
    /** No release has a tag of its own from here on. */
    private static final int CERTAINLY_UNKNOWN_TAG = 1000;

    private final Source source;
    private final String release;
    private final long seed;
    private final Path folder;
    private int pairs;

    private Main(Source source, String release, long seed, Path folder) {
        this.source = source;
        this.release = release;
        this.seed = seed;
        this.folder = folder;
    }

    /** Arguments: the release, the seed, the folder to write to, the jars of newer releases. */
    public static void main(String[] args) throws IOException {
        List<Path> newer = Stream.of(args).skip(3).map(Path::of).toList();
        Main main = new Main(new Source(newer), args[0], Long.parseLong(args[1]), Path.of(args[2]));
        for (ApiMessageType api : main.source.apis()) {
            main.writeApi(api);
        }
        System.out.println(args[0] + ": " + main.pairs + " (API, version) pairs");
    }

    /** A request, and its response if it gets one. */
    private record Exchange(Pdu request, Pdu response, boolean last) {
    }

    private void writeApi(ApiMessageType api) throws IOException {
        Versions versions = source.versions(api);
        Random random = new Random(Objects.hash(seed, release, api.name));
        List<Exchange> exchanges = new ArrayList<>();
        int correlationId = firstCorrelationId(random);
        boolean first = true;
        for (int version = versions.lowest(); version <= versions.highest(); version++) {
            if (!source.owns(api, version)) {
                continue;
            }
            pairs++;
            List<Boolean> acknowledged = new ArrayList<>(List.of(true, true, true, true));
            if (api == ApiMessageType.PRODUCE) {
                acknowledged.add(false);
            }
            for (int i = 0; i < acknowledged.size(); i++) {
                // Where a connection begins, its first client id is one that nobody takes for another protocol.
                boolean plain = exchanges.size() % PAIRS_PER_CONNECTION == 0 || Rules.endsConnection(api, version);
                exchanges.add(exchange(api, version, SHAPES[i % SHAPES.length], acknowledged.get(i), correlationId++,
                        plain, random));
            }
        }
        if (!exchanges.isEmpty()) {
            write(String.format("%02d-%s-%s", api.apiKey(), api.name, release), exchanges, random);
        }
    }

    /** Any start is legal, also one that wraps. */
    private static int firstCorrelationId(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> Integer.MAX_VALUE - 5;
            default -> random.nextInt(1_000_000);
        };
    }

    private Exchange exchange(ApiMessageType api, int version, Shape shape, boolean acknowledged, int correlationId,
                              boolean plain, Random random) {
        int lowestTag = source.redefined(api, version) ? CERTAINLY_UNKNOWN_TAG : 0;
        short headerVersion = api.requestHeaderVersion((short) version);
        RequestHeaderData requestHeader = new RequestHeaderData().setRequestApiKey(api.apiKey())
                .setRequestApiVersion((short) version).setCorrelationId(correlationId);
        Values values = new Values(random);
        if (headerVersion >= 1) {
            requestHeader.setClientId(clientId(shape, plain, values));
        }
        addHeaderTags(requestHeader, headerVersion >= 2, shape, values);
        Message request = make(api.name + "Request", version, shape, lowestTag, random);
        Rules.setAcks(request, acknowledged);
        Pdu requestPdu = Pdu.request(requestHeader, headerVersion, request, shape, source);

        Pdu responsePdu = null;
        if (acknowledged) {
            short responseHeaderVersion = api.responseHeaderVersion((short) version);
            ResponseHeaderData responseHeader = new ResponseHeaderData().setCorrelationId(correlationId);
            addHeaderTags(responseHeader, responseHeaderVersion >= 1, shape, values);
            Message response = make(api.name + "Response", version, shape, lowestTag, random);
            Rules.avoidFallback(response);
            responsePdu = Pdu.response(responseHeader, responseHeaderVersion, api.apiKey(), version, response, shape,
                    source);
        }
        return new Exchange(requestPdu, responsePdu, Rules.endsConnection(api, version));
    }

    private Message make(String name, int version, Shape shape, int lowestTag, Random random) {
        return (Message) new MessageMaker(random, source.definition(name), version, shape, lowestTag).make();
    }

    private static String clientId(Shape shape, boolean plain, Values values) {
        if (plain || shape == Shape.FULL) {
            return "client-" + values.below(1000);
        }
        int kind = values.below(4);
        return kind == 0 ? null : kind == 1 ? "" : values.string();
    }

    private static void addHeaderTags(Message header, boolean flexible, Shape shape, Values values) {
        if (flexible && shape != Shape.SPARSE && values.chance(0.4)) {
            header.unknownTaggedFields().add(new RawTaggedField(values.unknownTag(), values.bytes()));
        }
    }

    private void write(String name, List<Exchange> exchanges, Random random) throws IOException {
        Capture capture = new Capture();
        List<Pdu> written = new ArrayList<>();
        int connections = 0;
        int next = 0;
        while (next < exchanges.size()) {
            int end = next + 1;
            while (end < exchanges.size() && end % PAIRS_PER_CONNECTION != 0 && !exchanges.get(end - 1).last()) {
                end++;
            }
            Capture.Connection connection =
                    capture.new Connection(FIRST_CLIENT_PORT + connections, random.nextInt(), random.nextInt());
            converse(connection, exchanges.subList(next, end), written, random);
            connection.close();
            connections++;
            next = end;
        }
        capture.save(folder.resolve(name + ".pcap.gz"));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name + ".jsonl.gz")))) {
            for (Pdu pdu : written) {
                out.write((pdu.toJson(release) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** Some clients wait for each response, others have several requests on their way. */
    private static void converse(Capture.Connection connection, List<Exchange> exchanges, List<Pdu> written,
                                 Random random) {
        int outstanding = random.nextBoolean() ? 1 : 2 + random.nextInt(4);
        for (int i = 0; i < exchanges.size(); i += outstanding) {
            List<Exchange> some = exchanges.subList(i, Math.min(i + outstanding, exchanges.size()));
            List<Pdu> requests = some.stream().map(Exchange::request).toList();
            List<Pdu> responses = some.stream().map(Exchange::response).filter(Objects::nonNull).toList();
            connection.write(requests, SEGMENTS[random.nextInt(SEGMENTS.length)]);
            written.addAll(requests);
            if (!responses.isEmpty()) {
                connection.write(responses, SEGMENTS[random.nextInt(SEGMENTS.length)]);
                written.addAll(responses);
            }
        }
    }
}
