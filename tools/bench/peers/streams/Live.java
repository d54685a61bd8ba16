import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/**
 * Runs a query until it is ended, and writes each change as it comes: without the cache that gathers changes, and
 * without the tenth of a second for which Kafka Streams lets its producer wait for more. Its own defaults otherwise.
 *
 * Arguments: bootstrap servers, query, input topic, output topic, application id, folder of the state, guarantee.
 */
public class Live {
    record Row(String g, long n) {}

    record Sums(long c, long s) {
        Sums plus(Row row) {
            return new Sums(c + 1, s + row.n);
        }

        Sums minus(Row row) {
            return new Sums(c - 1, s - row.n);
        }
    }

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Serde<String> STRING = Serdes.String();
    private static final Serde<Row> ROW = Json.of(Row.class);
    private static final Serde<Sums> SUMS = Json.of(Sums.class);

    public static void main(String[] given) throws Exception {
        Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, given[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, given[4]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, given[5]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, given[6]);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), "0");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");

        StreamsBuilder builder = new StreamsBuilder();
        switch (given[1]) {
            case "stream" -> stream(builder, given[2], given[3]);
            case "windows" -> windows(builder, given[2], given[3]);
            case "groups" -> groups(builder, given[2], given[3]);
            default -> throw new IllegalArgumentException(given[1]);
        }
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.start();
        while (streams.state().isRunningOrRebalancing()) {
            Thread.sleep(100);
        }
        throw new IllegalStateException("the application has stopped");
    }

    private static void stream(StreamsBuilder builder, String input, String output) {
        builder.stream(input, Consumed.with(STRING, ROW)).filter((key, row) -> row.n > 0)
            .to(output, Produced.with(STRING, ROW));
    }

    private static void windows(StreamsBuilder builder, String input, String output) {
        builder.stream(input, Consumed.with(STRING, ROW))
            .groupBy((key, row) -> row.g, Grouped.with(STRING, ROW))
            .windowedBy(TimeWindows.ofSizeAndGrace(HOUR, HOUR))
            .aggregate(() -> new Sums(0, 0), (group, row, sums) -> sums.plus(row), Materialized.with(STRING, SUMS))
            .toStream()
            .to(output, Produced.with(WindowedSerdes.timeWindowedSerdeFrom(String.class, HOUR.toMillis()), SUMS));
    }

    private static void groups(StreamsBuilder builder, String input, String output) {
        builder.table(input, Consumed.with(STRING, ROW))
            .groupBy((key, row) -> KeyValue.pair(row.g, row), Grouped.with(STRING, ROW))
            .aggregate(() -> new Sums(0, 0), (group, row, sums) -> sums.plus(row), (group, row, sums) -> sums.minus(row),
                Materialized.with(STRING, SUMS))
            .toStream().mapValues(sums -> sums.c == 0 ? null : sums)
            .to(output, Produced.with(STRING, SUMS));
    }
}
