import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;

/**
 * Statements of Flink SQL from a file, one after another on a cluster in this process; it ends when the last of them,
 * an INSERT over bounded topics, has.
 *
 * Arguments: the file, in which a semicolon at the end of a line ends a statement, and settings as key=value.
 */
public class RunScript {
    public static void main(String[] given) throws Exception {
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i < given.length; i++) {
            String[] parts = given[i].split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        TableEnvironment tables = TableEnvironment.create(
            EnvironmentSettings.newInstance().inStreamingMode().withConfiguration(Configuration.fromMap(settings)).build());
        TableResult last = null;
        for (String statement : Files.readString(Path.of(given[0])).split(";\\s*(\\n|$)")) {
            if (!statement.isBlank()) {
                last = tables.executeSql(statement);
            }
        }
        last.await();
        // Threads of the cluster would keep the process for a while.
        System.exit(0);
    }
}
