# Every target sets up what it lacks; `make demo` and `make test` are all that a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready

# Another version of Spark's server, for `make test-version`: any that PyPI has from 4.0 on.
SPARK ?= 4.1
OTHER := .spark/$(SPARK)

.PHONY: demo demo-kafka demo-deploy demo-lake test test-spark test-nightly test-all test-version flaky mutants examples lint docs vscode release-check bench bench-nexmark bench-peers bench-peers-latency fuzz mutations calls crashes crashes-real-time clean

# Golden tests on DuckDB, then the flights as streaming queries on Spark, then the results, checked three ways.
demo: $(READY)
	$(BIN)/lsqlc seed
	$(BIN)/lsqlc build
	$(BIN)/lsqlc run --verify --exclude tag:documented
	$(BIN)/python -m tests.figures --compare .lsqlc/topics
	$(BIN)/lsqlc show planes_by_airport --limit 5
	$(BIN)/lsqlc show delays_by_carrier --limit 5

# The flights over a Kafka broker and a stand-in for a schema registry, which are started for it, with the flights in Avro;
# the results are read back by another client.
demo-kafka: $(READY)
	$(BIN)/python -m tests.kafka.demo

# A changed query beside the live one: staged, compared, promoted, and rolled back, in a new project.
demo-deploy: $(READY)
	$(BIN)/python -m tests.deploys.demo

# A database whose changes become tables in Delta Lake, Iceberg and PostgreSQL, compared with its own answer.
demo-lake: $(READY)
	$(BIN)/python -m tests.tables.demo

# Python keeps the compiled modules of the tests, also where the environment forbids it: each worker would compile them.
unexport PYTHONDONTWRITEBYTECODE

# Two processes of tests, each with one half of them in order; the one that ends first takes some of the other's.
TOGETHER := -n 2 --dist worksteal

# The fast lane: what needs no Java, programs of the Spark lowering that differ most, and a record through a broker.
test: $(READY)
	$(BIN)/python -m pytest --lane fast $(TOGETHER)

# The core of what needs a Spark server or a broker: one test for each failure that no other test shows.
test-spark: $(READY)
	$(BIN)/python -m pytest --lane core $(TOGETHER)

# All other tests, or one shard of about eight minutes: make test-nightly SHARD=3
SHARDS := 12
SHARD :=
test-nightly: $(READY)
	$(BIN)/python -m pytest --lane nightly $(TOGETHER) $(if $(SHARD),--splits $(SHARDS) --group $(SHARD) --durations-path tests/durations.json)

# Every lane.
test-all: $(READY)
	$(BIN)/python -m pytest $(TOGETHER)

# The core of the tests against a server of another version, with its connector for Kafka; the client stays.
test-version: $(READY) $(OTHER)
	LSQLC_SPARK_HOME=$(CURDIR)/$(OTHER)/pyspark $(BIN)/python -m pytest --lane core \
		tests/differential tests/functions tests/remote/test_live.py tests/kafka

# Tests repeated while ten processes keep the processors busy: make flaky TESTS=tests/kafka N=20
TESTS := --lane core
flaky: $(READY)
	$(BIN)/python -m tests.flaky --count $(if $(filter file,$(origin N)),20,$(N)) -- $(TESTS) $(TOGETHER)

# Small changes of the compiler, and the lane that fails for each: make mutants MUTANTS=150 SEED=1
MUTANTS := 150
mutants: $(READY)
	$(BIN)/python -m tests.mutants reach
	$(BIN)/python -m tests.mutants run --number $(MUTANTS) --seed $(SEED)

$(OTHER):
	$(BIN)/python -m pip install --quiet --no-deps --no-compile --target $(OTHER).new 'pyspark==$(SPARK).*'
	mv $(OTHER).new $(OTHER)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation site, in target/site.
docs: $(DOCS_READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "target/site/index.html"

# The VS Code extension, editors/vscode/lsqlc.vsix; needs node.
vscode:
	cd editors/vscode && npm ci --no-audit --no-fund && npm run package

# Everything that a release needs, the quick questions first; the wheel and the sdist are left in dist/.
release-check: $(READY) $(DOCS_READY)
	$(BIN)/python -m tests.release
	$(MAKE) lint docs test-all
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*

# All benchmarks, or some: make bench ONLY=continuous
ONLY :=
bench: $(READY)
	$(BIN)/python -m tools.bench $(ONLY)

# The queries of Nexmark on Spark, rows a second of each: make bench-nexmark QUICK=--quick
QUICK :=
bench-nexmark: $(READY)
	$(BIN)/python -m tools.bench nexmark $(QUICK)

# Beside Flink SQL, Kafka Streams and Pathway, which it downloads into the cache: make bench-peers QUICK=--quick
bench-peers: $(READY)
	$(BIN)/python -m tools.bench peers $(QUICK)

# The same engines record by record, at 100 and 1,000 a second: make bench-peers-latency QUICK=--quick
bench-peers-latency: $(READY)
	$(BIN)/python -m tools.bench peers_latency $(QUICK)

# kill -9 of servers and clients, at every point of a batch: make crashes KILLS=1000
KILLS := 200
crashes: $(READY)
	$(BIN)/python -m tools.bench crashes --kills $(KILLS)

# The same in real-time mode over Kafka, while records come in: make crashes-real-time KILLS=50
crashes-real-time: $(READY)
	$(BIN)/python -m tools.bench real_time_crashes --kills $(KILLS)

# Random programs on both engines: make fuzz N=2000 SEED=7 DIALECT=ksql
N := 500
SEED := 0
DIALECT := both
fuzz: $(READY)
	nice $(BIN)/python -m tests.fuzz --programs $(N) --seed $(SEED) --dialect $(DIALECT)

# The fast lane's generated examples, with others than those that each run draws: make examples
examples: $(READY)
	$(BIN)/python -m pytest -m "not (spark or kafka or nightly)" --hypothesis-profile others $(TOGETHER)

# Mangled programs through the compiler and fmt: make mutations PROGRAMS=100000 SEED=7
PROGRAMS := 10000
mutations: $(READY)
	nice $(BIN)/python -m tests.fuzz.mutations --programs $(PROGRAMS) --seed $(SEED)

# Every function with arguments at their limits, on DuckDB: make calls N=30000 SEED=7
calls: $(READY)
	nice $(BIN)/python -m tests.fuzz.calls --calls $(N) --seed $(SEED)

clean:
	rm -rf $(VENV) target .lsqlc data

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lsqlc needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[fast,spark,kafka,flights,dev]'
	touch $(READY)

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $(DOCS_READY)
