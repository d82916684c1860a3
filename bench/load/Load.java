// SPDX-License-Identifier: GPL-2.0-or-later

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The traffic of the two benchmark captures.
 *
 * <pre>
 * java -cp 'libs/*' Load.java BOOTSTRAP large MEGABYTES   that many megabytes of records for each codec
 * java -cp 'libs/*' Load.java BOOTSTRAP small RECORDS     that many requests of one record
 * </pre>
 */
public class Load {
    /** Not zstd: the built-in dissector of Wireshark 4.0 loses most records of it, and what it skips costs nothing. */
    private static final String[] CODECS = {"none", "gzip", "snappy", "lz4"};
    private static final String[] SMALL_TOPICS = {"orders", "payments", "clicks"};
    private static final int LARGE_PARTITIONS = 4;
    private static final int SMALL_PRODUCERS = 6;
    private static final int SMALL_CONSUMERS = 3;
    private static final int KEYS = 50_000;
    private static final int MEBIBYTE = 1 << 20;

    private final String bootstrap;

    private Load(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] args) throws Exception {
        Load load = new Load(args[0]);
        long amount = Long.parseLong(args[2]);
        switch (args[1]) {
            case "large" -> load.large(amount * MEBIBYTE);
            case "small" -> load.small(amount);
            default -> throw new IllegalArgumentException("no such load: " + args[1]);
        }
    }

    /** Batches of up to a quarter of a MiB in requests of several partitions, then a consumer that reads it all. */
    private void large(long bytesOfACodec) throws Exception {
        List<String> topics = new ArrayList<>();
        for (String codec : CODECS) {
            topics.add("events-" + codec);
        }
        createTopics(topics, LARGE_PARTITIONS);
        long records = 0;
        for (String codec : CODECS) {
            records += produceLarge("events-" + codec, codec, bytesOfACodec);
        }
        Properties config = consumerConfig("large-consumer", "large-group");
        config.put("max.poll.records", "20000");
        // A response then has less than the 40,000 records that the plugin shows of a packet.
        config.put("fetch.max.bytes", Integer.toString(4 * MEBIBYTE));
        config.put("fetch.min.bytes", Integer.toString(MEBIBYTE));
        consume(config, topics, new AtomicLong(records));
    }

    private long produceLarge(String topic, String codec, long bytes) {
        Properties config = producerConfig("large-" + codec);
        config.put("acks", "all");
        config.put("compression.type", codec);
        // As compressed. At more than 3 MiB of records, a hundred blocks of snappy, the built-in dissector gives up.
        config.put("batch.size", Integer.toString(MEBIBYTE / 4));
        config.put("buffer.memory", Integer.toString(64 * MEBIBYTE));
        config.put("linger.ms", "500");
        Records records = new Records(codec.hashCode());
        long count = 0;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config)) {
            for (long sent = 0; sent < bytes; count++) {
                byte[] key = records.key();
                byte[] value = records.value(100, 2000);
                producer.send(new ProducerRecord<>(topic, key, value), Load::stopOnFailure);
                sent += key.length + value.length;
            }
        }
        return count;
    }

    /** One record a request from several producers, while a group of consumers reads along. */
    private void small(long records) throws Exception {
        createTopics(List.of(SMALL_TOPICS), SMALL_PRODUCERS / SMALL_TOPICS.length);
        AtomicLong unread = new AtomicLong(records);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SMALL_CONSUMERS; i++) {
            Properties config = consumerConfig("small-consumer-" + i, "small-group");
            config.put("max.partition.fetch.bytes", "4096");
            config.put("fetch.max.bytes", "8192");
            config.put("heartbeat.interval.ms", "200");
            config.put("auto.commit.interval.ms", "200");
            config.put("metadata.max.age.ms", "1000");
            threads.add(new Thread(() -> consume(config, List.of(SMALL_TOPICS), unread)));
        }
        for (int i = 0; i < SMALL_PRODUCERS; i++) {
            int number = i;
            long share = records / SMALL_PRODUCERS + (i < records % SMALL_PRODUCERS ? 1 : 0);
            threads.add(new Thread(() -> produceSmall(number, share)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void produceSmall(int number, long count) {
        // A partition of its own for each producer: with several, one request would carry several batches.
        String topic = SMALL_TOPICS[number % SMALL_TOPICS.length];
        int partition = number / SMALL_TOPICS.length;
        Properties config = producerConfig("small-producer-" + number);
        config.put("acks", "1");
        config.put("linger.ms", "0");
        config.put("batch.size", "0");
        config.put("buffer.memory", "65536");
        config.put("metadata.max.age.ms", "1000");
        Records records = new Records(number);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config)) {
            for (long i = 0; i < count; i++) {
                byte[] key = records.key();
                producer.send(new ProducerRecord<>(topic, partition, key, records.value(60, 400)), Load::stopOnFailure);
            }
        }
    }

    /** A record that was not written would leave the consumers waiting for ever. */
    private static void stopOnFailure(RecordMetadata metadata, Exception failure) {
        if (failure != null) {
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private void createTopics(List<String> names, int partitions) throws Exception {
        List<NewTopic> topics = new ArrayList<>();
        for (String name : names) {
            topics.add(new NewTopic(name, partitions, (short) 1));
        }
        try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(topics).all().get();
        }
    }

    private Properties producerConfig(String clientId) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("client.id", clientId);
        // What waits longer than this fails, so a slow machine must not have a long queue.
        config.put("delivery.timeout.ms", "600000");
        config.put("key.serializer", ByteArraySerializer.class.getName());
        config.put("value.serializer", ByteArraySerializer.class.getName());
        return config;
    }

    private Properties consumerConfig(String clientId, String group) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("client.id", clientId);
        config.put("group.id", group);
        config.put("auto.offset.reset", "earliest");
        config.put("key.deserializer", ByteArrayDeserializer.class.getName());
        config.put("value.deserializer", ByteArrayDeserializer.class.getName());
        return config;
    }

    /** Reads until the members of the group have read everything between them. */
    private static void consume(Properties config, List<String> topics, AtomicLong unread) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.subscribe(topics);
            while (unread.get() > 0) {
                unread.addAndGet(-consumer.poll(Duration.ofMillis(200)).count());
            }
        }
    }

    /** Keys of a fixed set, and JSON values that compress like real ones. */
    private static final class Records {
        private final Random random;
        private final String[] words = new String[800];
        private int serial;

        Records(int seed) {
            random = new Random(seed);
            for (int i = 0; i < words.length; i++) {
                StringBuilder word = new StringBuilder();
                for (int n = 3 + random.nextInt(8); n > 0; n--) {
                    word.append((char) ('a' + random.nextInt(26)));
                }
                words[i] = word.toString();
            }
        }

        byte[] key() {
            return bytes(String.format("user-%06d", random.nextInt(KEYS)));
        }

        byte[] value(int least, int most) {
            int length = least + random.nextInt(most - least);
            StringBuilder json = new StringBuilder(most + 100);
            json.append("{\"id\":").append(serial++);
            json.append(",\"session\":\"").append(Long.toHexString(random.nextLong())).append("\",\"items\":[");
            do {
                json.append("{\"sku\":").append(random.nextInt(1_000_000));
                json.append(",\"text\":\"").append(word()).append(' ').append(word()).append("\"},");
            } while (json.length() < length);
            json.setCharAt(json.length() - 1, ']');
            return bytes(json.append('}').toString());
        }

        private String word() {
            return words[random.nextInt(words.length)];
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }
}
