-- # an unknown setting
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # an unknown setting of a topic
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a value that is no truth
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a value that is no number
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a target that is not created
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])|\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), '((?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'price\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(((schema_of_variant(e1) = 'BIGINT' OR schema_of_variant(e1) = 'DOUBLE' OR startswith(schema_of_variant(e1), 'DECIMAL')) AND abs(try_variant_get(e1, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e1) = 'STRING' AND try_variant_get(e1, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat(concat('value', '.price'), ': expected DOUBLE')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', w)))), 0), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM records_3;
-- written to other in append mode
SELECT line FROM written_4;

-- # a result that does not fit its topic
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('order_id', v0.`id`, 'paid', v0.`amount`)) AS v0
  FROM records_3
)
-- the lines of payments
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to payments in append mode
SELECT line FROM written_5;

-- # two results of one topic that differ
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'customers'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to other in append mode
SELECT line FROM written_12;

-- # two writers of a TABLE
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'customers'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to other in append mode
SELECT line FROM written_12;

-- # an unknown setting for all topics
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a name of before 4.0
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # no partitions at all
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # an interval that is no number
-- query result
-- keeps no state
-- a batch every 1000 ms
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a name of a record that AVRO cannot hold
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a policy that does not exist
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
      if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # dead letters without a topic
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
      if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- query result.bad
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the error of each line
judged_2 AS (
  SELECT _topic, _line, CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, CAST(NULL AS STRUCT<key: STRING, key_encoding: STRING, value: STRING, value_encoding: STRING>) AS _texts, CASE _topic
    WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad
  FROM lines_1
),
-- the source of each bad record, its error, and its content
letters_3 AS (
  SELECT coalesce(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 0L) AS _ord, if(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT) BETWEEN 0L AND 253402300799999L, try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT), 0L) AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('topic', _topic, 'ordinal', try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 'reason', _bad, 'record', _line, 'partition', _partition, 'offset', _offset, 'key', _texts.key, 'key_encoding', _texts.key_encoding, 'value', _texts.value, 'value_encoding', _texts.value_encoding, 'model', 'result') AS v0
  FROM judged_2 WHERE _bad IS NOT NULL
)
-- the lines of bad
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM letters_3;
-- written to bad in append mode
SELECT line FROM written_4;

-- # dead letters into a target
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
      if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_6
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to other in append mode
SELECT line FROM written_8;

-- query result.bad
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the error of each line
judged_2 AS (
  SELECT _topic, _line, CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, CAST(NULL AS STRUCT<key: STRING, key_encoding: STRING, value: STRING, value_encoding: STRING>) AS _texts, CASE _topic
    WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad
  FROM lines_1
),
-- the source of each bad record, its error, and its content
letters_3 AS (
  SELECT coalesce(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 0L) AS _ord, if(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT) BETWEEN 0L AND 253402300799999L, try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT), 0L) AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('topic', _topic, 'ordinal', try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 'reason', _bad, 'record', _line, 'partition', _partition, 'offset', _offset, 'key', _texts.key, 'key_encoding', _texts.key_encoding, 'value', _texts.value, 'value_encoding', _texts.value_encoding, 'model', 'result') AS v0
  FROM judged_2 WHERE _bad IS NOT NULL
)
-- the lines of bad
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM letters_3;
-- written to bad in append mode
SELECT line FROM written_4;

-- # dead letters into a source
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
      if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_6
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to other in append mode
SELECT line FROM written_8;

-- query result.bad
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the error of each line
judged_2 AS (
  SELECT _topic, _line, CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, CAST(NULL AS STRUCT<key: STRING, key_encoding: STRING, value: STRING, value_encoding: STRING>) AS _texts, CASE _topic
    WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad
  FROM lines_1
),
-- the source of each bad record, its error, and its content
letters_3 AS (
  SELECT coalesce(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 0L) AS _ord, if(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT) BETWEEN 0L AND 253402300799999L, try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT), 0L) AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('topic', _topic, 'ordinal', try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 'reason', _bad, 'record', _line, 'partition', _partition, 'offset', _offset, 'key', _texts.key, 'key_encoding', _texts.key_encoding, 'value', _texts.value, 'value_encoding', _texts.value_encoding, 'model', 'result') AS v0
  FROM judged_2 WHERE _bad IS NOT NULL
)
-- the lines of bad
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM letters_3;
-- written to bad in append mode
SELECT line FROM written_4;

-- # dead letters into a topic of another schema
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
      if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_6
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to other in append mode
SELECT line FROM written_8;

-- query result.bad
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the error of each line
judged_2 AS (
  SELECT _topic, _line, CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, CAST(NULL AS STRUCT<key: STRING, key_encoding: STRING, value: STRING, value_encoding: STRING>) AS _texts, CASE _topic
    WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(schema_of_variant(e0) = 'BIGINT' AND try_variant_get(e0, '$', 'int') IS NOT NULL, FALSE), NULL, concat('key', ': expected INT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'id\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(schema_of_variant(e1) = 'BIGINT' AND try_variant_get(e1, '$', 'int') IS NOT NULL, FALSE), NULL, concat(concat('value', '.id'), ': expected INT')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad
  FROM lines_1
),
-- the source of each bad record, its error, and its content
letters_3 AS (
  SELECT coalesce(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 0L) AS _ord, if(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT) BETWEEN 0L AND 253402300799999L, try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT), 0L) AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('topic', _topic, 'ordinal', try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 'reason', _bad, 'record', _line, 'partition', _partition, 'offset', _offset, 'key', _texts.key, 'key_encoding', _texts.key_encoding, 'value', _texts.value, 'value_encoding', _texts.value_encoding, 'model', 'result') AS v0
  FROM judged_2 WHERE _bad IS NOT NULL
)
-- the lines of bad
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM letters_3;
-- written to bad in append mode
SELECT line FROM written_4;

-- # one target that is not created
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])|\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), '((?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'price\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(((schema_of_variant(e1) = 'BIGINT' OR schema_of_variant(e1) = 'DOUBLE' OR startswith(schema_of_variant(e1), 'DECIMAL')) AND abs(try_variant_get(e1, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e1) = 'STRING' AND try_variant_get(e1, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat(concat('value', '.price'), ': expected DOUBLE')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', w)))), 0), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM records_3;
-- written to other in append mode
SELECT line FROM written_4;
