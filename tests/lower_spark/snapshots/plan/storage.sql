-- # INT to JSON, a key
-- query result
-- keeps no state
-- lines_1: the lines of ints as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of ints, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value INT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'ints\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'ints'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    try_cast(k0 as BIGINT) AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # INT to DOUBLE, a key
-- query result
-- keeps no state
-- lines_1: the lines of ints as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of ints, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value INT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'ints\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'ints'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    try_cast(k0 as STRING) AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # INT to BYTES, a value
-- query result
-- keeps no state
-- lines_1: the lines of ints as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of ints, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value INT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'ints\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'ints'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # LONG to INT, a key
-- query result
-- keeps no state
-- lines_1: the lines of longs as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of longs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key BIGINT, value BIGINT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'longs\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'longs'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    try_cast(k0 as STRING) AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # LONG to JSON, a key
-- query result
-- keeps no state
-- lines_1: the lines of longs as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of longs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key BIGINT, value BIGINT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'longs\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'longs'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # LONG to DOUBLE, a value
-- query result
-- keeps no state
-- lines_1: the lines of longs as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of longs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key BIGINT, value BIGINT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'longs\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'longs'
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

-- # STRING to INT, a key
-- query result
-- keeps no state
-- lines_1: the lines of strings as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of strings, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRING', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'strings'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # STRING to LONG, a key
-- query result
-- keeps no state
-- lines_1: the lines of strings as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of strings, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRING', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'strings'
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

-- # STRING to JSON, a value
-- query result
-- keeps no state
-- lines_1: the lines of strings as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of strings, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|value)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRING', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'strings\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'strings'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # JSON to STRING, a value
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # JSON to INT, a key
-- query result
-- keeps no state
-- lines_1: the lines of jsons as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of jsons, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b|a\\-b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b|a\\-b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT, `a-b`: STRING, `inner`: STRUCT<`x y`: INT>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'jsons'
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

-- # AVRO to STRING, a value
-- query result
-- keeps no state
-- lines_1: the lines of avros as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of avros, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT, `name`: STRING, `inner`: STRUCT<`x`: INT>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'avros'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # AVRO to LONG, a key
-- query result
-- keeps no state
-- lines_1: the lines of avros as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of avros, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT, `name`: STRING, `inner`: STRUCT<`x`: INT>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'avros'
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

-- # DOUBLE to STRING, a key
-- query result
-- keeps no state
-- lines_1: the lines of doubles as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of doubles, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key DOUBLE, value DOUBLE', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(((schema_of_variant(e0) = 'BIGINT' OR schema_of_variant(e0) = 'DOUBLE' OR startswith(schema_of_variant(e0), 'DECIMAL')) AND abs(try_variant_get(e0, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e0) = 'STRING' AND try_variant_get(e0, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat('key', ': expected DOUBLE')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(((schema_of_variant(e0) = 'BIGINT' OR schema_of_variant(e0) = 'DOUBLE' OR startswith(schema_of_variant(e0), 'DECIMAL')) AND abs(try_variant_get(e0, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e0) = 'STRING' AND try_variant_get(e0, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat('value', ': expected DOUBLE')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'doubles\' cannot be read: ', w)))), 0), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'doubles\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'doubles'
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

-- # DOUBLE to AVRO, a value
-- query result
-- keeps no state
-- lines_1: the lines of doubles as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of doubles, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key DOUBLE, value DOUBLE', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'key\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(((schema_of_variant(e0) = 'BIGINT' OR schema_of_variant(e0) = 'DOUBLE' OR startswith(schema_of_variant(e0), 'DECIMAL')) AND abs(try_variant_get(e0, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e0) = 'STRING' AND try_variant_get(e0, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat('key', ': expected DOUBLE')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(coalesce(((schema_of_variant(e0) = 'BIGINT' OR schema_of_variant(e0) = 'DOUBLE' OR startswith(schema_of_variant(e0), 'DECIMAL')) AND abs(try_variant_get(e0, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e0) = 'STRING' AND try_variant_get(e0, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat('value', ': expected DOUBLE')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'doubles\' cannot be read: ', w)))), 0), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'doubles\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'doubles'
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

-- # INT to TW[INT], a key
-- query result
-- keeps no state
-- lines_1: the lines of ints as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of ints, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value INT', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'ints\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'ints'
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

-- # TW[INT] to INT, a key
-- query result
-- keeps no state
-- lines_1: the lines of windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: INT, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'windows'
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

-- # TW[INT] to SW[INT], a key
-- query result
-- keeps no state
-- lines_1: the lines of windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: INT, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'windows'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    CASE WHEN (k0 IS NULL) THEN CAST(NULL AS STRUCT<`key`: BIGINT, `start`: BIGINT, `end`: BIGINT>) ELSE named_struct('key', try_cast(k0.`key` as BIGINT), 'start', k0.`start`, 'end', k0.`end`) END AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # TW[INT] to TW[JSON], a key
-- query result
-- keeps no state
-- lines_1: the lines of windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: INT, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'windows'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    CASE WHEN (k0 IS NULL) THEN CAST(NULL AS STRUCT<`key`: STRING, `start`: BIGINT, `end`: BIGINT>) ELSE named_struct('key', try_cast(k0.`key` as STRING), 'start', k0.`start`, 'end', k0.`end`) END AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # SW[STRING] to TW[STRING], a key
-- query result
-- keeps no state
-- lines_1: the lines of sessions as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of sessions, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: STRING, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'it has null in a field that is NOT NULL')), if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'the line is no JSON')), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'sessions'
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

-- # SW[STRING] to SW[JSON], a key
-- query result
-- keeps no state
-- lines_1: the lines of sessions as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of sessions, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: STRING, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'it has null in a field that is NOT NULL')), if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'the line is no JSON')), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sessions\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'sessions'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # TW[JSON] to TW[STRING], a key
-- query result
-- keeps no state
-- lines_1: the lines of json-windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of json-windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b\\ c)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b\\ c)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: STRUCT<`a`: INT, `b c`: STRING>, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'the line is no JSON')), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'json-windows'
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

-- # a format that does not exist
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

-- # a format that is read elsewhere
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

-- # such a format inside of a window
-- query result
-- keeps no state
-- lines_1: the lines of windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: INT, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'windows'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # a key that is not there
-- query result
-- keeps no state
-- lines_1: the lines of visits as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of visits, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:page)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:page)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, value STRUCT<`page`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'visits\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'visits\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'visits'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, CAST(NULL AS INT) AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    v0.`page` AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # a name that AVRO cannot hold
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('item', v0.`item`, 'more', try_add(v0.`id`, 1))) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # an alias that AVRO cannot hold
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('a', v0.`id`, 'second', v0.`item`)) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # a part of a nested alias that AVRO cannot hold
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
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
    if(v0 IS NULL, NULL, named_struct('ab', named_struct('c', v0.`id`))) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # an unaliased field that AVRO cannot hold
-- query result
-- keeps no state
-- lines_1: the lines of gaming-sessions as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of gaming-sessions, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`country`: STRING, `net-points`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'gaming-sessions\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'gaming-sessions\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'gaming-sessions'
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
    if(v0 IS NULL, NULL, named_struct('country', v0.`country`, 'net', v0.`net-points`)) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # a wildcard that brings such a name
-- query result
-- keeps no state
-- lines_1: the lines of jsons as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of jsons, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b|a\\-b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b|a\\-b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT, `a-b`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'jsons'
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
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`, 'ab', v0.`a-b`)) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # such a name below a field
-- query result
-- keeps no state
-- lines_1: the lines of jsons as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of jsons, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT, `inner`: STRUCT<`x y`: INT>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'jsons\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'jsons'
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
    if(v0 IS NULL, NULL, named_struct('xy', v0.`inner`.`x y`, 'n', v0.`n`)) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # a source in AVRO gives AVRO
-- query result
-- keeps no state
-- lines_1: the lines of avros as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of avros, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'avros'
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
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`, 'm', try_multiply(v0.`n`, 2))) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a field of the key
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    named_struct('a', v0.`item`) AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0) AS v0
  FROM project_4
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to other in append mode
SELECT line FROM written_6;

-- # a field of a windowed key
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: a
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of avros as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of avros, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b|name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'avros\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'avros'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, named_struct('a', v0.`name`) AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '60000 milliseconds', '60000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to other in update mode
SELECT line FROM written_14;

-- # a windowed key made AVRO
-- query result
-- keeps no state
-- lines_1: the lines of json-windows as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of json-windows, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:b\\ c)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:b\\ c)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: STRUCT<`a`: INT, `b c`: STRING>, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if((r.key IS NOT NULL AND (r.key.`start` IS NULL OR r.key.`end` IS NULL)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'it has null in a field that is NOT NULL')), if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'the line is no JSON')), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'json-windows\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'json-windows'
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
