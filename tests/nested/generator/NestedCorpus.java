// SPDX-License-Identifier: GPL-2.0-or-later
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.connect.runtime.distributed.ConnectProtocol;
import org.apache.kafka.connect.runtime.distributed.ExtendedAssignment;
import org.apache.kafka.connect.runtime.distributed.ExtendedWorkerState;
import org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeConnectProtocol;
import org.apache.kafka.connect.util.ConnectorTaskId;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.assignment.AssignmentInfo;
import org.apache.kafka.streams.processor.internals.assignment.SubscriptionInfo;
import org.apache.kafka.streams.state.HostInfo;

/**
 * Prints what members of groups write for one another, written by Kafka's own classes, one JSON object a line: kind,
 * protocol type and name, bytes, and the fields that must be shown for them in the order of the bytes.
 */
public final class NestedCorpus {
    private static final UUID PROCESS = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final long LATEST_OFFSET = -2;

    private NestedCorpus() {
    }

    /** One case; its fields are added in order. */
    private static final class Case {
        private final List<String> fields = new ArrayList<>();

        Case add(String name, Object value) {
            fields.add("[\"kafka." + name + "\", " + quote(String.valueOf(value)) + "]");
            return this;
        }

        Case all(String name, List<?> values) {
            values.forEach(value -> add(name, value));
            return this;
        }

        /** Another case's fields, as those of a message inside. */
        Case inside(Case inner) {
            fields.addAll(inner.fields);
            return this;
        }

        void print(String title, String kind, String type, String name, ByteBuffer bytes) {
            System.out.println("{\"title\": " + quote(title) + ", \"kind\": " + quote(kind) + ", \"type\": "
                + quote(type) + ", \"name\": " + quote(name) + ", \"bytes\": " + quote(hex(bytes))
                + ", \"fields\": [" + String.join(", ", fields) + "]}");
        }
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** As Wireshark shows bytes. */
    private static String shown(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return HexFormat.ofDelimiter(":").formatHex(bytes);
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Partitions by topic, as the consumer protocol has them. */
    private static Case topics(Case fields, String count, List<TopicPartition> partitions) {
        Map<String, List<Integer>> byTopic = new TreeMap<>();
        partitions.forEach(p -> byTopic.computeIfAbsent(p.topic(), topic -> new ArrayList<>()).add(p.partition()));
        fields.add(count, byTopic.size());
        byTopic.forEach((topic, numbers) -> fields.add("topic_name", topic).add("partitions_count", numbers.size())
            .all("partition_id", numbers));
        return fields;
    }

    private static Case subscription(int version, List<String> topics, ByteBuffer userData, Case inside,
                                     List<TopicPartition> owned, int generation, String rack) {
        Case fields = new Case().add("nested_version", version).add("topics_count", topics.size())
            .all("topic_name", topics).add("user_data", userData == null ? "" : shown(userData));
        if (inside != null) {
            fields.inside(inside);
        }
        if (version >= 1) {
            topics(fields, "owned_partitions_count", owned);
        }
        if (version >= 2) {
            fields.add("subscription_generation_id", generation);
        }
        if (version >= 3) {
            fields.add("rack", rack == null ? "[ Null ]" : rack);
        }
        return fields;
    }

    private static Case assignment(int version, List<TopicPartition> partitions, ByteBuffer userData, Case inside) {
        Case fields = topics(new Case().add("nested_version", version), "assigned_partitions_count", partitions)
            .add("user_data", userData == null ? "" : shown(userData));
        return inside == null ? fields : fields.inside(inside);
    }

    private static void consumers() {
        List<TopicPartition> owned = List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 5),
            new TopicPartition("returns", 1));
        List<String> topics = List.of("orders", "returns");
        for (short version = 0; version <= 3; version++) {
            ByteBuffer full = ConsumerProtocol.serializeSubscription(
                new Subscription(topics, text("xyz"), owned, 7, Optional.of("rack-a")), version);
            subscription(version, topics, text("xyz"), null, owned, 7, "rack-a")
                .print("consumer subscription " + version, "metadata", "consumer", "range", full);
            ByteBuffer empty = ConsumerProtocol.serializeSubscription(
                new Subscription(List.of(), null, List.of(), -1, Optional.empty()), version);
            subscription(version, List.of(), null, null, List.of(), -1, null)
                .print("empty consumer subscription " + version, "metadata", "consumer", "roundrobin", empty);
            assignment(version, owned, text("xyz"), null).print("consumer assignment " + version, "assignment",
                "consumer", "range", ConsumerProtocol.serializeAssignment(new Assignment(owned, text("xyz")), version));
            assignment(version, List.of(), null, null).print("empty consumer assignment " + version, "assignment",
                "consumer", "range", ConsumerProtocol.serializeAssignment(new Assignment(List.of(), null), version));
        }
    }

    /** In a subscription of version 1 to the topic "orders". */
    private static void inSubscription(String title, String name, ByteBuffer userData, Case inside) {
        Subscription subscription = new Subscription(List.of("orders"), userData, List.of());
        subscription(1, List.of("orders"), userData, inside, List.of(), -1, null)
            .print(title, "metadata", "consumer", name,
                ConsumerProtocol.serializeSubscription(subscription, (short) 1));
    }

    private static void inAssignment(String title, String name, ByteBuffer userData, Case inside) {
        List<TopicPartition> partitions = List.of(new TopicPartition("orders", 3));
        assignment(1, partitions, userData, inside).print(title, "assignment", "consumer", name,
            ConsumerProtocol.serializeAssignment(new Assignment(partitions, userData), (short) 1));
    }

    @SuppressWarnings("removal")
    private static void stickyAssignors() throws ReflectiveOperationException {
        List<TopicPartition> before = List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 2));
        ConsumerGroupMetadata group = new ConsumerGroupMetadata("group", 11, "member", Optional.empty());
        StickyAssignor sticky = new StickyAssignor();
        sticky.onAssignment(new Assignment(before), group);
        inSubscription("sticky 1", "sticky", sticky.subscriptionUserData(Set.of("orders")),
            topics(new Case(), "previous_assignment_count", before).add("subscription_generation_id", 11));

        Schema schema = field(StickyAssignor.class, "STICKY_ASSIGNOR_USER_DATA_V0");
        Struct struct = new Struct(schema);
        Struct topic = new Struct(field(StickyAssignor.class, "TOPIC_ASSIGNMENT"));
        topic.set("topic", "orders");
        topic.set("partitions", new Object[] {0, 2});
        struct.set("previous_assignment", new Object[] {topic});
        ByteBuffer bytes = ByteBuffer.allocate(schema.sizeOf(struct));
        schema.write(bytes, struct);
        bytes.flip();
        inSubscription("sticky 0", "sticky", bytes, topics(new Case(), "previous_assignment_count", before));

        CooperativeStickyAssignor cooperative = new CooperativeStickyAssignor();
        cooperative.onAssignment(new Assignment(before), group);
        inSubscription("cooperative sticky", "cooperative-sticky", cooperative.subscriptionUserData(Set.of("orders")),
            new Case().add("subscription_generation_id", 11));
    }

    private static Schema field(Class<?> owner, String name) throws ReflectiveOperationException {
        var field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return (Schema) field.get(null);
    }

    private static Case connectors(Case fields, String count, Map<String, List<Integer>> tasks) {
        fields.add(count, tasks.size());
        tasks.forEach((connector, numbers) ->
            fields.add("connector", connector).add("tasks_count", numbers.size()).all("connector_task", numbers));
        return fields;
    }

    private static void connect() {
        String url = "http://10.0.0.1:8083/";
        ByteBuffer state = ConnectProtocol.serializeMetadata(new ConnectProtocol.WorkerState(url, 42));
        new Case().add("nested_version", 0).add("connect_url", url).add("config_offset", 42)
            .print("connect metadata 0", "metadata", "connect", "default", state);

        Case eager = new Case().add("nested_version", 0).add("connect_error", 1).add("connect_leader_id", "leader")
            .add("connect_leader_url", url).add("config_offset", 42);
        connectors(eager, "assignment_count", Map.of("source", List.of(-1, 0)));
        eager.print("connect assignment 0", "assignment", "connect", "default", ConnectProtocol.serializeAssignment(
            new ConnectProtocol.Assignment(ConnectProtocol.Assignment.CONFIG_MISMATCH, "leader", url, 42,
                List.of("source"), List.of(new ConnectorTaskId("source", 0)))));

        for (short version = 1; version <= 2; version++) {
            boolean sessioned = version == 2;
            String name = sessioned ? "sessioned" : "compatible";
            ExtendedAssignment assigned = new ExtendedAssignment(version, (short) 0, "leader", url, 42,
                List.of("source"), List.of(new ConnectorTaskId("source", 1)), List.of(),
                List.of(new ConnectorTaskId("sink", 4)), 3000);
            ByteBuffer bytes = IncrementalCooperativeConnectProtocol.serializeAssignment(assigned, sessioned);
            Case fields = new Case().add("nested_version", version).add("connect_error", 0)
                .add("connect_leader_id", "leader").add("connect_leader_url", url).add("config_offset", 42);
            connectors(fields, "assignment_count", Map.of("source", List.of(-1, 1)));
            connectors(fields, "revoked_count", Map.of("sink", List.of(4))).add("scheduled_delay", 3000);
            fields.print("connect assignment " + version, "assignment", "connect", name, bytes);

            ExtendedWorkerState had = new ExtendedWorkerState(url, 42, assigned);
            new Case().add("nested_version", version).add("connect_url", url).add("config_offset", 42)
                .add("connect_allocation", shown(bytes)).inside(fields).print("connect metadata " + version, "metadata",
                    "connect", name, IncrementalCooperativeConnectProtocol.serializeMetadata(had, sessioned));
            ExtendedWorkerState fresh = new ExtendedWorkerState(url, 42, ExtendedAssignment.empty());
            new Case().add("nested_version", version).add("connect_url", url).add("config_offset", 42)
                .add("connect_allocation", "").print("connect metadata without assignment " + version, "metadata",
                    "connect", name, IncrementalCooperativeConnectProtocol.serializeMetadata(fresh, sessioned));
        }
    }

    private static Case task(Case fields, TaskId task) {
        return fields.add("topic_group_id", task.subtopology()).add("partition_id", task.partition());
    }

    private static void streamsSubscriptions() {
        TaskId active = new TaskId(0, 3);
        TaskId standby = new TaskId(1, 2);
        Map<TaskId, Long> offsets = new LinkedHashMap<>();
        offsets.put(active, LATEST_OFFSET);
        offsets.put(standby, 1234L);
        for (int version = 1; version <= 11; version++) {
            ByteBuffer bytes = new SubscriptionInfo(version, 11, new ProcessId(PROCESS), "host:80", offsets, (byte) 5,
                4, Map.of("zone", "a")).encode();
            SubscriptionInfo read = SubscriptionInfo.decode(bytes.duplicate());
            Case fields = new Case().add("nested_version", version);
            if (version >= 3) {
                fields.add("latest_supported_version", 11);
            }
            fields.add("streams_process_id", PROCESS);
            if (version < 7) {
                task(fields.add("prev_tasks_count", 1), active);
                task(fields.add("standby_tasks_count", 1), standby);
            }
            if (version >= 2) {
                fields.add("user_end_point", shown(text("host:80")));
            }
            if (version >= 7) {
                // The order is that of a map in Kafka's class.
                fields.add("task_offset_sums_count", 2);
                for (TaskId task : inOrder(bytes, read.taskOffsetSums().keySet())) {
                    fields.add("topic_group_id", task.subtopology());
                    if (version < 10) {
                        fields.add("partition_to_offset_sum_count", 1);
                    }
                    fields.add("partition_id", task.partition()).add("offset_sum", offsets.get(task));
                    if (version >= 10) {
                        fields.add("named_topology", "[ Null ]");
                    }
                }
            }
            if (version >= 8) {
                fields.add("unique_field", 5);
            }
            if (version >= 9) {
                fields.add("streams_error", 4);
            }
            if (version >= 11) {
                fields.add("client_tags_count", 1).add("streams_client_tag_key", shown(text("zone")))
                    .add("streams_client_tag_value", shown(text("a")));
            }
            inSubscription("streams subscription " + version, "stream", bytes, fields);
        }
    }

    /** The tasks in the order in which the bytes have their offset sums, of which each is there once. */
    private static List<TaskId> inOrder(ByteBuffer bytes, Set<TaskId> tasks) {
        String all = hex(bytes);
        return tasks.stream().sorted((one, other) -> Integer.compare(all.indexOf(sum(one)), all.indexOf(sum(other))))
            .collect(Collectors.toList());
    }

    private static String sum(TaskId task) {
        return String.format("%016x", task.subtopology() == 0 ? LATEST_OFFSET : 1234L);
    }

    private static Case hostPartitions(Case fields, String count, List<Integer> partitions, boolean dictionary) {
        fields.add(count, 1).add("host", "host").add("port", 80).add("partitions_count", partitions.size());
        for (int partition : partitions) {
            fields.add(dictionary ? "topic_index" : "topic_name", dictionary ? "0" : "orders")
                .add("partition_id", partition);
        }
        return fields;
    }

    private static void streamsAssignments() {
        TaskId active = new TaskId(0, 3);
        TaskId standby = new TaskId(1, 2);
        Set<TopicPartition> one = Collections.singleton(new TopicPartition("orders", 3));
        Set<TopicPartition> other = Collections.singleton(new TopicPartition("orders", 2));
        Map<HostInfo, Set<TopicPartition>> hosts = Map.of(new HostInfo("host", 80), one);
        Map<HostInfo, Set<TopicPartition>> standbyHosts = Map.of(new HostInfo("host", 80), other);
        for (int version = 1; version <= 11; version++) {
            AssignmentInfo info = new AssignmentInfo(version, 11, List.of(active), Map.of(standby, other), hosts,
                standbyHosts, 2);
            info.setNextRebalanceTime(1700000000123L);
            ByteBuffer bytes = info.encode();
            if (!AssignmentInfo.decode(bytes.duplicate()).activeTasks().equals(List.of(active))) {
                throw new IllegalStateException("version " + version + " is not read back");
            }
            Case fields = new Case().add("nested_version", version);
            if (version >= 3) {
                fields.add("commonly_supported_version", 11);
            }
            task(fields.add("active_tasks_count", 1), active);
            if (version >= 10) {
                fields.add("named_topology_characters_count", 0);
            }
            task(fields.add("standby_tasks_count", 1), standby);
            if (version >= 10) {
                fields.add("named_topology_characters_count", 0);
            }
            fields.add("partitions_count", 1).add("topic_name", "orders").add("partition_id", 2);
            if (version >= 2 && version < 5) {
                hostPartitions(fields, "partitions_by_host_count", List.of(3), false);
            }
            if (version >= 5) {
                fields.add("topic_dictionary_count", 1).add("topic_index", 0).add("topic_name", "orders");
                hostPartitions(fields, "active_partitions_by_host_count", List.of(3), true);
            }
            if (version >= 6) {
                hostPartitions(fields, "standby_partitions_by_host_count", List.of(2), true);
            }
            if (version >= 4) {
                fields.add("streams_error", 2);
            }
            if (version >= 7) {
                fields.add("next_rebalance_ms", 1700000000123L);
            }
            inAssignment("streams assignment " + version, "stream", bytes, fields);
        }
        ByteBuffer named =
            new AssignmentInfo(11, List.of(new TaskId(0, 3, "ab")), Map.of(), Map.of(), Map.of(), 0).encode();
        Case fields = new Case().add("nested_version", 11).add("commonly_supported_version", 11);
        task(fields.add("active_tasks_count", 1), active).add("named_topology_characters_count", 2)
            .all("named_topology_characters", List.of((int) 'a', (int) 'b')).add("standby_tasks_count", 0)
            .add("topic_dictionary_count", 0).add("active_partitions_by_host_count", 0)
            .add("standby_partitions_by_host_count", 0).add("streams_error", 0)
            .add("next_rebalance_ms", Long.MAX_VALUE);
        inAssignment("streams assignment with a named topology", "stream", named, fields);
    }

    private static void principals() {
        BiFunction<KafkaPrincipal, Boolean, KafkaPrincipal> with = (principal, authenticated) -> {
            principal.tokenAuthenticated(authenticated);
            return principal;
        };
        Stream.of(with.apply(new KafkaPrincipal("User", "alice"), false),
                with.apply(new KafkaPrincipal("User", ""), true))
            .forEach(principal -> new Case().add("nested_version", 0)
                .add("principal_type", principal.getPrincipalType()).add("principal_name", principal.getName())
                .add("token_authenticated", principal.tokenAuthenticated() ? 1 : 0)
                .print("principal " + principal.getName(), "principal", "", "",
                    ByteBuffer.wrap(new DefaultKafkaPrincipalBuilder(null, null).serialize(principal))));
    }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        consumers();
        stickyAssignors();
        connect();
        streamsSubscriptions();
        streamsAssignments();
        principals();
    }
}
