import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** Values of a class as JSON, by Jackson; and when the first of all was read. */
final class Json {
    /** Milliseconds since 1970; 0: nothing was read. */
    static final AtomicLong FIRST_READ = new AtomicLong();

    private static final ObjectMapper MAPPER =
        new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    static <T> Serde<T> of(Class<T> type) {
        ObjectReader reader = MAPPER.readerFor(type);
        return Serdes.serdeFrom(
            (topic, value) -> {
                try {
                    return value == null ? null : MAPPER.writeValueAsBytes(value);
                } catch (IOException wrong) {
                    throw new UncheckedIOException(wrong);
                }
            },
            (topic, bytes) -> {
                FIRST_READ.compareAndSet(0, System.currentTimeMillis());
                try {
                    return bytes == null ? null : reader.readValue(bytes);
                } catch (IOException wrong) {
                    throw new UncheckedIOException(wrong);
                }
            });
    }
}
