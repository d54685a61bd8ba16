import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.Topology;

/**
 * Runs a query with Kafka Streams' own defaults and exactly once, until all that its topics have is read and committed.
 * It prints when it started, when the first record was read, and when it was done, in milliseconds since 1970.
 *
 * Arguments: bootstrap servers, query, output topic, application id, folder of the state, threads.
 */
public class Drain {
    public static void main(String[] given) throws Exception {
        String bootstrap = given[0], application = given[3];
        Topology topology = Queries.topology(given[1], given[2]);

        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, given[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, given[5]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");

        long started = System.currentTimeMillis();
        KafkaStreams streams = new KafkaStreams(topology, settings);
        streams.start();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            while (!isRead(admin, application, inputs(topology))) {
                if (!streams.state().isRunningOrRebalancing()) {
                    throw new IllegalStateException("the application has stopped");
                }
                Thread.sleep(100);
            }
        }
        System.out.println(started + " " + Json.FIRST_READ.get() + " " + System.currentTimeMillis());
        System.out.flush();
        // Closing it in order takes longer, and changes no result.
        Runtime.getRuntime().halt(0);
    }

    /** The topics that the query reads from outside, each of which has records. */
    private static List<String> inputs(Topology topology) {
        List<String> found = new ArrayList<>();
        for (TopologyDescription.Subtopology part : topology.describe().subtopologies()) {
            for (TopologyDescription.Node node : part.nodes()) {
                if (node instanceof TopologyDescription.Source source && source.topicSet() != null) {
                    found.addAll(source.topicSet());
                }
            }
        }
        return found;
    }

    /** Whether the application has committed all that the topics have, those of its own included. */
    private static boolean isRead(Admin admin, String application, List<String> sources) throws Exception {
        try {
            List<String> topics = new ArrayList<>();
            for (String source : sources) {
                // Those of its own, such as between two steps, have its name before theirs.
                String own = application + "-" + source;
                topics.add(admin.listTopics().names().get().contains(own) ? own : source);
            }
            Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
            for (var described : admin.describeTopics(topics).allTopicNames().get().values()) {
                described.partitions().forEach(
                    partition -> wanted.put(new TopicPartition(described.name(), partition.partition()), OffsetSpec.latest()));
            }
            Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(application).partitionsToOffsetAndMetadata().get();
            var ends = admin.listOffsets(wanted, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all().get();
            for (var end : ends.entrySet()) {
                OffsetAndMetadata read = committed.get(end.getKey());
                if (end.getValue().offset() > 0 && (read == null || read.offset() < end.getValue().offset())) {
                    return false;
                }
            }
            return true;
        } catch (ExecutionException notYet) {
            if (notYet.getCause() instanceof KafkaException) {
                return false;
            }
            throw notYet;
        }
    }
}
