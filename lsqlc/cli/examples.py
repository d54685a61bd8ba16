"""The examples in the help of each verb, by the verb's words. A test parses all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Example(NamedTuple):
    """A command line without the program's name, and what it does."""

    words: str
    text: str


EXAMPLES: Mapping[str, tuple[Example, ...]] = {
    "init": (
        Example("init rides", "A project in the folder rides."),
        Example("init . --dialect ksql", "A project of ksqlDB models in this folder."),
        Example("init rides --empty", "Without models, topics and cases."),
    ),
    "import ksqldb": (
        Example("import ksqldb queries.sql rides", "A project of a script, in the folder rides."),
        Example("import ksqldb streams.json rides", "Of the answer to LIST STREAMS EXTENDED."),
        Example("import ksqldb http://localhost:8088 rides", "Of what a server runs."),
        Example("import ksqldb scripts rides -d env=test", "With a value for ${env}."),
    ),
    "import ksqldb-tests": (
        Example("import ksqldb-tests tests/rides rides", "Of statements.sql, input.json and output.json."),
    ),
    "import lenses": (
        Example("import lenses landscape rides", "Of what lenses-cli exports."),
        Example("import lenses processors.json rides --topics topics.yml", "With topics that you declare."),
    ),
    "debug": (
        Example("debug", "Check the installation and the project."),
        Example("debug --target prod", "Check a target of profiles.yml too."),
    ),
    "ls": (
        Example("ls", "All models."),
        Example("ls --untested", "Models without a case."),
        Example("ls --select arrivals+", "A model and all that depend on it."),
        Example("ls --select state:modified --state main", "What changed since a branch."),
    ),
    "functions": (
        Example("functions list", "The project's own functions with their types."),
        Example("functions lock", "Allow the code in functions/*.py to run, after a review."),
    ),
    "fmt": (
        Example("fmt", "Format all models."),
        Example("fmt --check", "Exit with 1 if a model is not formatted."),
        Example("fmt --diff models/arrivals.sql", "Show what would change in a file."),
    ),
    "lint": (
        Example("lint", "Report what could be improved."),
        Example("lint --fix models/arrivals.sql", "Apply the fixes in a file."),
        Example("lint --select LSQ801", "Report one code only."),
    ),
    "clean": (
        Example("clean", "Remove target/."),
        Example("clean --topics", "Remove the topics and checkpoints of this machine too."),
    ),
    "compile": (
        Example("compile", "Compile all models."),
        Example("compile --select arrivals", "Print the plan and the SQL of a model."),
        Example("compile --select arrivals --engine duckdb", "Print its SQL for DuckDB only."),
    ),
    "build": (
        Example("build", "Compile all models and run all cases."),
        Example("build --select arrivals rides_by_station", "Only two models."),
        Example("build --junit report.xml", "Write a report for CI."),
    ),
    "dev": (
        Example("dev", "All models, until Ctrl-C."),
        Example("dev --select arrivals+ --rows 20", "A model and all that depend on it, with more of their rows."),
    ),
    "test": (
        Example("test", "Run all cases on DuckDB."),
        Example("test --update changed", "Accept changed results as golden files."),
        Example("test --engine spark --select arrivals+", "Run the cases of some models on Spark."),
        Example("test --coverage", "Show which conditions and joins the cases reach."),
        Example("test --orders 20", "Run each case in other orders of its records."),
        Example("test --laws", "Check lsqlc itself over the models."),
        Example("test --record rides --limit 5", "Make a case of the first records of a topic."),
    ),
    "review": (
        Example("review", "Accept or reject each new or changed golden file."),
        Example("review --list", "Show them, without a question."),
        Example("review --accept golden/arrivals", "Accept those of a model."),
    ),
    "diff": (
        Example("diff", "Compare with where this branch began."),
        Example("diff --against main --select arrivals+", "Compare some models with a branch."),
        Example("diff --fail-on reset", "Exit with 1 if a query loses its state."),
        Example("diff --search 10", "Look for records over which rows differ."),
        Example("diff --check certificates/arrivals.json", "Check a proof of sameness again."),
    ),
    "mutate": (
        Example("mutate", "Show edits that no case notices."),
        Example("mutate --select arrivals --write", "Write cases that notice them."),
        Example("mutate --fail-under 90", "Exit with 1 if the cases notice less than 90 % of the edits."),
    ),
    "plan": (
        Example("plan", "What a run would change on the default target."),
        Example("plan --target prod --fail-on rebuild", "Exit with 1 if a model has to be rebuilt there."),
    ),
    "seed": (
        Example("seed", "Load all seeds into empty topics."),
        Example("seed rides --limit 100", "Load the first records of one topic."),
    ),
    "produce": (
        Example("produce rides --file rides.jsonl", "Write the records of a file."),
        Example("produce rides --rate 10/s", "Write what stdin gives, ten records a second."),
    ),
    "run": (
        Example("run", "Run all models until all input is read."),
        Example("run --continuous --target prod", "Run on a target until stopped."),
        Example("run --select arrivals+ --full-refresh", "Rebuild a model and what depends on it."),
        Example("run --skip-record rides:0:17", "Skip a record that cannot be read, in this and all later runs."),
        Example("run --from 30d", "Begin with the records of the last 30 days, where nothing has run yet."),
    ),
    "env list": (Example("env list", "The targets of profiles.yml."),),
    "env diff": (
        Example("env diff --target preview", "Run what has changed beside the live models, and compare the rows."),
        Example("env diff --target preview --markdown rows.md", "Write them for a pull request's comment."),
    ),
    "env drop": (Example("env drop --target preview", "Remove the topics and checkpoints of an environment."),),
    "status": (
        Example("status", "The run of the project, query by query."),
        Example("status --checkpoints", "What the next run makes of each checkpoint."),
    ),
    "stop": (
        Example("stop", "Stop the run after its current batches."),
        Example("stop --target prod", "Stop a detached run."),
    ),
    "state show": (
        Example("state show bikes_at_station", "The operators with state, their rows and sizes."),
        Example("state show bikes_at_station --operator 1", "Rows of one operator."),
        Example("state show bikes_at_station --key park", "What is kept of one key."),
        Example('state show bikes_at_station --where "value.sum > 3"', "Rows for which a condition holds."),
    ),
    "state repartition": (
        Example("state repartition bikes_at_station --partitions 4", "Keep its state in four partitions."),
    ),
    "state copy": (
        Example("state copy --to ./before-upgrade", "A backup of the states of all models."),
        Example("state copy bikes_at_station --from ./before-upgrade", "Back from there."),
        Example("state copy bikes_at_station --to preview", "Have an environment begin with the state."),
    ),
    "deploy stage": (Example("deploy stage --target prod", "Run changed models beside the live ones."),),
    "deploy prove": (Example("deploy prove --target prod", "Compare the staged rows with the live ones."),),
    "deploy promote": (Example("deploy promote --target prod", "Have the staged models take over."),),
    "deploy rollback": (Example("deploy rollback --target prod", "Take the last promotion back."),),
    "deploy abort": (Example("deploy abort --target prod", "Remove what is staged."),),
    "deploy forget": (Example("deploy forget --target prod", "Remove what the last promotion kept."),),
    "deploy status": (Example("deploy status --target prod", "Show what is staged."),),
    "deploy run": (Example("deploy run --target prod", "Stage, prove and promote."),),
    "query": (
        Example('query "SELECT * FROM rides_by_station ORDER BY rides DESC"', "The rows of a table, sorted."),
        Example('query "SELECT count(*) FROM STREAM(rides)" --target prod', "How many records a topic in Kafka has."),
        Example("query - --output csv", "A query from stdin, as CSV."),
        Example('query "SELECT * FROM rides" --output parquet --out rides.parquet', "A file with the columns' types."),
        Example('query "SELECT * FROM STREAM(rides) WHERE cancelled" --follow', "Its records, also later ones."),
    ),
    "shell": (
        Example("shell", "A prompt over the topics of the default target."),
        Example("shell --dialect ksql --target prod", "ksqlDB's statements over topics in production."),
        Example("shell --output csv", "With `< statements.sql`: the rows of the statements of a file."),
    ),
    "serve": (
        Example("serve", "The TABLEs of all models, on this machine."),
        Example("serve --select rides_by_station --topic stations", "One model, and a topic with a key."),
        Example("serve --host 0.0.0.0 --token-env LSQLC_TOKEN --target prod", "For others, who send the token."),
    ),
    "preview": (
        Example("preview rides_by_station", "The rows of a model over the last 10,000 records of each stream."),
        Example(
            "preview rides_by_station --target prod --since 1h", "Over the records of the last hour in production."
        ),
        Example("preview bikes_at_station --upstream", "With the models above as they are in the project."),
    ),
    "show": (
        Example("show rides", "The first records of a topic."),
        Example("show rides_by_station --limit 0", "All rows of a TABLE."),
        Example("show rides --rows", "The newest record of each key."),
        Example("show rides --tail --output json", "The last records, one JSON object a line."),
    ),
    "letters list": (Example("letters list --target prod", "Count letters by their reasons."),),
    "letters show": (Example("letters show bad_rides", "The letters of a topic."),),
    "letters replay": (
        Example("letters replay --all --dry-run", "Report what would be written again."),
        Example("letters replay --reason '*is not a number*'", "Replay the letters of a reason."),
    ),
    "check": (
        Example("check", "Run all data tests."),
        Example("check rides --target prod --last 1000", "Those of a topic, on its last records."),
    ),
    "lineage": (
        Example("lineage rides_by_station", "Where all columns of a topic come from."),
        Example("lineage rides.minutes", "What uses a column."),
    ),
    "docs": (
        Example("docs build", "Write the site to target/docs."),
        Example("docs build --fail-under 80", "Fail if less than 80 % of the columns are described."),
        Example("docs serve --port 0", "Serve it on any free port."),
        Example("docs alerts --dashboard", "Write alert rules and a dashboard."),
    ),
    "explain": (
        Example("explain LSQ203", "The page of a code."),
        Example("explain", "All codes."),
    ),
    "server start": (
        Example("server start", "Keep a server for the commands that follow."),
        Example("server start --kafka --idle 120", "With the connector for Kafka, for two hours without a use."),
    ),
    "server prepare": (
        Example("server prepare", "Make the archive with which servers start quicker."),
        Example("server prepare --kafka", "With the classes of the connector for Kafka."),
    ),
    "server python": (
        Example("server python ./spark-python --python /usr/local/bin/python3", "For a server of your own."),
    ),
    "server stop": (Example("server stop", "End it."),),
    "server status": (Example("server status", "Show whether it runs, and who uses it."),),
    "kafka up": (
        Example("kafka up", "Start a broker for this project."),
        Example("kafka up --add-target kafka", "And add a target with it to profiles.yml."),
    ),
    "kafka down": (Example("kafka down --clean", "Stop it and remove its topics."),),
    "kafka status": (Example("kafka status", "Show whether it runs."),),
    "tables status": (Example("tables status", "List the tables, and how far each one is behind."),),
    "tables plan": (Example("tables plan", "Show which tables would be created, altered or rebuilt."),),
    "tables sync": (
        Example("tables sync", "Bring all tables up to date."),
        Example("tables sync lake.revenue --follow", "Keep one table up to date."),
        Example("tables sync revenue --rebuild", "Write the tables of a topic again."),
    ),
    "tables load": (
        Example("tables load", "Append the new versions of Delta tables to their topics."),
        Example("tables load orders --full-refresh", "Read a table again, and the models with it at the next run."),
    ),
    "tables verify": (Example("tables verify", "Compare all tables with their topics."),),
    "tables maintain": (Example("tables maintain --retain-hours 720", "Compact tables; keep what 30 days need."),),
    "topics plan": (Example("topics plan --target prod", "Compare the topics with those of the cluster."),),
    "topics apply": (Example("topics apply --target prod", "Create the topics that are missing."),),
    "topics check": (
        Example("topics check", "Check the files of all topics in folders."),
        Example("topics check orders --target local", "Those of one topic of a target."),
    ),
    "topics acls": (Example("topics acls --target prod", "Print the access that the models need."),),
    "schemas": (
        Example("schemas pull", "Write the registry's schemas into the lock file."),
        Example("schemas check --select arrivals+", "Whether what some models write is compatible."),
        Example("schemas register --dry-run", "Show what would be registered."),
    ),
    "lsp": (Example("lsp", "What an editor starts; see docs/how-to/editor.md."),),
    "mcp": (Example("mcp --project-dir rides", "What an agent's program starts; see docs/how-to/mcp.md."),),
    "schema": (
        Example("schema manifest", "Print one schema."),
        Example("schema --write .schemas", "Write those of YAML files, for editors."),
    ),
}
