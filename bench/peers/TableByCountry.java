import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The number of rows by country of a TABLE, by Kafka Streams with its own defaults and exactly once: what
 * "SELECT TABLE COUNT(*) AS n FROM orders GROUP BY country" means. It ends when all that the topic has is read and
 * committed, and prints the seconds from its start and from its first record to that moment.
 *
 * Arguments: bootstrap servers, input topic, output topic, application id, folder of the state, threads.
 */
public class TableByCountry {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUPING = "by-country";

    public static void main(String[] given) throws Exception {
        String bootstrap = given[0], input = given[1], output = given[2], application = given[3];
        AtomicLong first = new AtomicLong();
        Serde<JsonNode> json = Serdes.serdeFrom(writer(), reader(first));

        StreamsBuilder builder = new StreamsBuilder();
        builder.table(input, Consumed.with(Serdes.String(), json))
            .groupBy((id, order) -> KeyValue.pair(order.get("country").asText(), order),
                Grouped.with(GROUPING, Serdes.String(), json))
            .count()
            .toStream()
            .mapValues(n -> (JsonNode) JSON.createObjectNode().put("n", n))
            .to(output, Produced.with(Serdes.String(), json));

        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, given[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, given[5]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");

        long began = System.nanoTime();
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.start();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            String between = application + "-" + GROUPING + "-repartition";
            while (!isRead(admin, application, input, between)) {
                if (!streams.state().isRunningOrRebalancing()) {
                    throw new IllegalStateException("the application has stopped");
                }
                Thread.sleep(50);
            }
        }
        long ended = System.nanoTime();
        streams.close();
        System.out.printf("{\"seconds\": %.3f, \"busy\": %.3f}%n", (ended - began) / 1e9, (ended - first.get()) / 1e9);
    }

    /** Whether the application has committed all that the topics have, of which one is made by itself. */
    private static boolean isRead(Admin admin, String application, String... topics) throws Exception {
        try {
            Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(application).partitionsToOffsetAndMetadata().get();
            for (String topic : topics) {
                Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
                admin.describeTopics(java.util.List.of(topic)).allTopicNames().get().get(topic).partitions()
                    .forEach(partition -> wanted.put(new TopicPartition(topic, partition.partition()), OffsetSpec.latest()));
                var ends = admin.listOffsets(wanted, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all().get();
                for (var end : ends.entrySet()) {
                    OffsetAndMetadata read = committed.get(end.getKey());
                    if (end.getValue().offset() > 0 && (read == null || read.offset() < end.getValue().offset())) {
                        return false;
                    }
                }
            }
            return true;
        } catch (java.util.concurrent.ExecutionException notYet) {
            if (notYet.getCause() instanceof KafkaException) {
                return false;
            }
            throw notYet;
        }
    }

    private static Serializer<JsonNode> writer() {
        return (topic, node) -> {
            try {
                return node == null ? null : JSON.writeValueAsBytes(node);
            } catch (java.io.IOException wrong) {
                throw new IllegalStateException(wrong);
            }
        };
    }

    private static Deserializer<JsonNode> reader(AtomicLong first) {
        return (topic, bytes) -> {
            first.compareAndSet(0, System.nanoTime());
            try {
                return bytes == null ? null : JSON.readTree(bytes);
            } catch (java.io.IOException wrong) {
                throw new IllegalStateException(wrong);
            }
        };
    }
}
