-- # ON on a literal
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # ON with two conditions
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the records that satisfy the condition
filter_18 AS (
  SELECT * FROM join_17
  WHERE (v0.`AMOUNT` = v1.`PAID`)
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM filter_18
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to O in append mode
SELECT line FROM written_20;

-- # ON with an unknown source
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # ON with a column of both
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # ON with two types
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`ITEM` IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`ITEM` AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (try_cast(k0 as STRING) IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  try_cast(k0 as STRING) AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    v0.`ITEM` AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # two streams without WITHIN
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('PAID', v1.`PAID`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # WITHIN with a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders, users as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'users'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR ((k0 IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND join_value IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_7 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_8
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_9) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('CITY', v1.`CITY`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # a full join with a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders, users as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'users'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR ((k0 IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND (NOT of_table OR join_value IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_7 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_8
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_9) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it, and the first row behind it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= event.ordinal AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_11
),
-- the records with the row that they met, if they met one
matched_13 AS (
  SELECT transform(records, record -> struct(if(record.met.table_row IS NULL, array(record.event.ordinal), array(record.event.ordinal, record.met.ordinal)) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('CITY', v1.`CITY`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # a table with a stream
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders, users as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'users'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR ((k0 IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND join_value IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_7 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_8
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_9) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('CITY', v1.`CITY`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # a table on something else than its key
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders, users as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'users'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`AMOUNT` IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`AMOUNT`, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND join_value IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_7 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_8
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_9) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    v0.`AMOUNT` AS k0,
    named_struct('CITY', v1.`CITY`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # a right join on a foreign key
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of cities, users as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'users' AS _s FROM lines_1 WHERE _topic IN ('users', 'cities'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM identified_4;
-- counted_6: identified_5, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`CITY`, k1) AS join_value, _s AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_8 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_9
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_10 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_12)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_13) GROUP BY meeting
),
-- with the time of this batch
entries_15 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_14
),
-- an end of a later batch follows its start
in_order_16 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM entries_15
),
-- each version with the end that it has had by now
ends_17 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_16
),
-- the versions of each side
living_18 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_17
),
-- the versions of both sides that may meet
sides_19 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_18
),
-- the versions as they were before this batch
before_20 AS (
  SELECT *, transform(filter(left_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS left_before,
    transform(filter(right_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS right_before,
    array_max(flatten(transform(left_versions, v -> array(v.ordinal, v.end_ordinal)) || transform(right_versions, v -> array(v.ordinal, v.end_ordinal)))) AS last_change
  FROM sides_19
),
-- the times in which a side has no row to meet
gaps_21 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps_before,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps_before
  FROM before_20
),
-- what counts now, and what counted before this batch
counting_22 AS (
  SELECT last_change, is_now, inline(if(is_now,
    concat(
      flatten(transform(left_versions, left_version -> transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL) OR (NOT exists(right_gaps, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR gap.opens < left_version.end_ordinal))))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_versions, lone -> exists(right_gaps, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(lone.row_id AS l, get(right_versions, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_versions, -1).content AS right_row))),
    concat(
      flatten(transform(left_before, left_version -> transform(
      filter(right_before, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL) OR (NOT exists(right_gaps_before, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR gap.opens < left_version.end_ordinal))))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_before, lone -> exists(right_gaps_before, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(lone.row_id AS l, get(right_before, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps_before, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_before, -1).content AS right_row)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS is_now FROM gaps_21)
),
-- what of it has changed
changed_23 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY row_id, row_rank ORDER BY is_now DESC) AS nth,
      max(if(is_now, lives, NULL)) OVER (PARTITION BY row_id, row_rank) AS lives_now,
      max(if(is_now, NULL, lives)) OVER (PARTITION BY row_id, row_rank) AS lived_before
    FROM counting_22
  ) WHERE nth = 1 AND NOT lives_now <=> lived_before
),
-- one row for each
join_24 AS (
  SELECT row_id AS _id, struct(last_change, row_id, row_rank, lives_now AS lives) AS _ord,
    event_time AS _ts, TRUE AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changed_23
),
-- the projections; a row whose whole value is null is deleted
project_25 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('x0', k0, 'x1', named_struct('SIZE', v1.`SIZE`)), NULL) AS new_value
    FROM join_24)
),
-- each with its new key
moved_26 AS (
  SELECT new_key, _ord, _ts, new_value FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS new_key, v0.`x1` AS new_value FROM project_25
  ) WHERE _live AND new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_27 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM moved_26) GROUP BY new_key
),
-- one row for each change of it
each_28 AS (
  SELECT new_key, inline(entries) FROM mapped_27
),
-- how each stands now
latest_29 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_28
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_30 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_29
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_31 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_30
),
-- a null value deletes
rows_32 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_31
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to O in update mode
SELECT line FROM written_33;

-- # a foreign key behind another join
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.MORE
-- keeps no state
-- lines_1: the lines of users as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of users, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'users'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('BOSS', v0.`BOSS`), NULL) AS new_value
    FROM changes_5)
)
-- the lines of MORE
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to MORE in append mode
SELECT line FROM written_7;

-- query out.stage2
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of cities, users as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'users' AS _s FROM lines_1 WHERE _topic IN ('users', 'cities'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM identified_4;
-- counted_6: identified_5, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_25 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`CITY`, k1) AS join_value, FALSE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_8 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_9
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_10 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_12)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_13) GROUP BY meeting
),
-- with the time of this batch
entries_15 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_14
),
-- what is new, and what it may meet
touched_16 AS (
  SELECT meeting, now, filter(all_versions, e -> e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)) AS all_versions FROM (
    SELECT *, exists(all_versions, e -> e.batch_time = now AND e.left_row IS NULL) AS old_left,
      exists(all_versions, e -> e.batch_time = now AND e.right_row IS NULL) AS old_right
    FROM entries_15 WHERE exists(all_versions, e -> e.row_id.is_left) AND exists(all_versions, e -> NOT e.row_id.is_left)
  )
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM touched_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the pairs that come and go
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(left_versions, left_version -> flatten(transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal)),
      right_version -> array(if(left_version.began_now OR right_version.began_now,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.ordinal > right_version.ordinal, left_version.ordinal || right_version.ordinal, right_version.ordinal || left_version.ordinal) AS ordinal, TRUE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL),
        if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, least(left_version.end_ordinal, right_version.end_ordinal) AS ordinal, FALSE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL))))))), c -> c IS NOT NULL))
  FROM sides_20
),
-- one row for each
join_22 AS (
  SELECT row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changes_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('x0', k0, 'x1', named_struct('c0', k0, 'c5', v1.`SIZE`)), NULL) AS new_value
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_25;

-- query out.stage3
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`c0`: INT, `c5`: INT>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT k0 AS _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS new_key,
      if(_live, v0.`v`, NULL) AS new_value
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(last_change) AS _ord, content.new_key AS k0,
    max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE content.new_key IS NOT NULL GROUP BY content.new_key
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM keys_13
),
-- a null value deletes
rows_15 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_14
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to _lsqlc.out.3 in update mode
SELECT line FROM written_16;

-- query out.O
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.3, users as one stream, in order of arrival
CREATE TEMPORARY VIEW project_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`c0`: INT, `c5`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.3' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.3', 'users'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- what tells rows apart
identified_5 AS (
  SELECT *, k1 AS _i1 FROM identified_4
)
-- the projections of the table
SELECT _i0, _i1, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, named_struct('BOSS', v1.`BOSS`), NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
  if(NOT _s, k1, NULL) AS k1,
  if(NOT _s AND v1 IS NOT NULL, named_struct('BOSS', v1.`BOSS`), NULL) AS v1
FROM identified_5;
-- counted_7: project_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_34 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    _ord AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`c0`, k1) AS join_value, FALSE AS preserved
  FROM counted_7 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_9 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_10 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_9 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_10
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_11 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_12
),
-- each version with its end
versions_14 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_13)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_15 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_14) GROUP BY meeting
),
-- with the time of this batch
entries_16 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_15
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM entries_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the versions as they were before this batch
before_21 AS (
  SELECT *, transform(filter(left_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS left_before,
    transform(filter(right_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS right_before,
    array_max(flatten(transform(left_versions, v -> array(v.ordinal, v.end_ordinal)) || transform(right_versions, v -> array(v.ordinal, v.end_ordinal)))) AS last_change
  FROM sides_20
),
-- the times in which a side has no row to meet
gaps_22 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps_before,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps_before
  FROM before_21
),
-- what counts now, and what counted before this batch
counting_23 AS (
  SELECT last_change, is_now, inline(if(is_now,
    concat(
      flatten(transform(left_versions, left_version -> transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank || array(0L), right_version.row_rank || left_version.row_rank || array(1L)) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row))))),
    concat(
      flatten(transform(left_before, left_version -> transform(
      filter(right_before, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank || array(0L), right_version.row_rank || left_version.row_rank || array(1L)) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS is_now FROM gaps_22)
),
-- what of it has changed
changed_24 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY row_id, row_rank ORDER BY is_now DESC) AS nth,
      max(if(is_now, lives, NULL)) OVER (PARTITION BY row_id, row_rank) AS lives_now,
      max(if(is_now, NULL, lives)) OVER (PARTITION BY row_id, row_rank) AS lived_before
    FROM counting_23
  ) WHERE nth = 1 AND NOT lives_now <=> lived_before
),
-- one row for each
join_25 AS (
  SELECT row_id AS _id, struct(last_change, row_id, row_rank, lives_now AS lives) AS _ord,
    event_time AS _ts, TRUE AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changed_24
),
-- the projections; a row whose whole value is null is deleted
project_26 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', v0.`c0`, 'x1', named_struct('SIZE', v0.`c5`)), NULL) AS new_value
    FROM join_25)
),
-- each with its new key
moved_27 AS (
  SELECT new_key, _ord, _ts, new_value FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS new_key, v0.`x1` AS new_value FROM project_26
  ) WHERE _live AND new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_28 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM moved_27) GROUP BY new_key
),
-- one row for each change of it
each_29 AS (
  SELECT new_key, inline(entries) FROM mapped_28
),
-- how each stands now
latest_30 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_29
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_31 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_30
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_32 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_31
),
-- a null value deletes
rows_33 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_32
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_33;
-- written to O in update mode
SELECT line FROM written_34;

-- # a part of a key of several columns, behind another join
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.MORE
-- keeps no state
-- lines_1: the lines of cities as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of cities, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'cities'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('SIZE', v0.`SIZE`), NULL) AS new_value
    FROM changes_5)
)
-- the lines of MORE
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to MORE in append mode
SELECT line FROM written_7;

-- query out.stage2
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of cities, places as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`NAME`: STRING, `CODE`: INT>, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'places\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'places\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'cities\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'places' AS _s FROM lines_1 WHERE _topic IN ('places', 'cities'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM identified_4;
-- counted_6: identified_5, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_25 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, k0.`NAME`, k1) AS join_value, FALSE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_8 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_9
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_10 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_12)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_13) GROUP BY meeting
),
-- with the time of this batch
entries_15 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_14
),
-- what is new, and what it may meet
touched_16 AS (
  SELECT meeting, now, filter(all_versions, e -> e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)) AS all_versions FROM (
    SELECT *, exists(all_versions, e -> e.batch_time = now AND e.left_row IS NULL) AS old_left,
      exists(all_versions, e -> e.batch_time = now AND e.right_row IS NULL) AS old_right
    FROM entries_15 WHERE exists(all_versions, e -> e.row_id.is_left) AND exists(all_versions, e -> NOT e.row_id.is_left)
  )
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM touched_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the pairs that come and go
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(left_versions, left_version -> flatten(transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal)),
      right_version -> array(if(left_version.began_now OR right_version.began_now,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.ordinal > right_version.ordinal, left_version.ordinal || right_version.ordinal, right_version.ordinal || left_version.ordinal) AS ordinal, TRUE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL),
        if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, least(left_version.end_ordinal, right_version.end_ordinal) AS ordinal, FALSE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL))))))), c -> c IS NOT NULL))
  FROM sides_20
),
-- one row for each
join_22 AS (
  SELECT row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changes_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('x0', named_struct('A_NAME', k0.`NAME`, 'CODE', k0.`CODE`), 'x1', named_struct('SIZE', v1.`SIZE`)), NULL) AS new_value
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_25;

-- query out.O
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRUCT<`NAME`: STRING, `CODE`: INT>, `r`: STRING>, value STRUCT<`k`: STRUCT<`NAME`: STRING, `CODE`: INT>, `v`: STRUCT<`x0`: STRUCT<`A_NAME`: STRING, `CODE`: INT>, `x1`: STRUCT<`SIZE`: INT>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT k0 AS _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS new_key,
      if(_live, v0.`v`, NULL) AS new_value
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(last_change) AS _ord, content.new_key AS k0,
    max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE content.new_key IS NOT NULL GROUP BY content.new_key
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM keys_13
),
-- a null value deletes
rows_15 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # a source with itself
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out.P
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])|\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING, `AMOUNT`: INT, `TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('ITEM', v0.`ITEM`, 'AMOUNT', v0.`AMOUNT`, 'TAGS', v0.`TAGS`)) AS v0
  FROM records_3
)
-- the lines of P
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to P in append mode
SELECT line FROM written_5;

-- query out.O
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_14 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'orders'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the projections
project_12 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('ITEM', v0.`ITEM`)) AS v0
  FROM records_11
),
-- the records that satisfy the condition
filter_13 AS (
  SELECT * FROM project_12
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_13;
-- timed_15: dated_14 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_17 AS
WITH
-- the watermark is behind the newest time
timely_16 AS (
  SELECT * FROM timed_15
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_16 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the pairs within the window
join_18 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord) || array(0L)
      ELSE array(r._ord) || array(l._ord) || array(1L) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_17 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('B_ITEM', v1.`ITEM`) AS v0
  FROM join_18
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to O in append mode
SELECT line FROM written_20;

-- # one name for two sources
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'payments'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 86400000 MILLISECONDS AND l._at + INTERVAL 86400000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('ITEM', v0.`ITEM`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;
