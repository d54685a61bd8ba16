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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  v0.`ITEM` AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  try_cast(k0 as STRING) AS j
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
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND j IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_7 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_9) GROUP BY j
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_13)
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_7 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_9) GROUP BY j
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it, and the first row behind it
settled_12 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_11
),
-- the records with the row that they met, if they met one
matched_13 AS (
  SELECT transform(js, x -> struct(
    if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
    x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_13)
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND j IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_7 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_9) GROUP BY j
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_13)
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, v0.`AMOUNT`, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND j IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_7 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_9) GROUP BY j
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it
settled_12 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_13)
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'cities\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_32 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`CITY`, k1) AS j, _s AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_9 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_8 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_9
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_10 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_12)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_13) GROUP BY g
),
-- each version with the end that it has had by now
ends_15 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_14)
),
-- the versions of each side
living_16 AS (
  SELECT * FROM ends_15 WHERE (l IS NOT NULL OR r IS NOT NULL)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_17 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_16 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_18 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_17
  ) WHERE n = 1
),
-- the versions as they were before this batch
before_19 AS (
  SELECT *, transform(filter(ls, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS lb, transform(filter(rs, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS rb,
    array_max(flatten(transform(ls, e -> array(e.o, e.x)) || transform(rs, e -> array(e.o, e.x)))) AS m
  FROM batch_18
),
-- the times in which a side has no row to meet
gaps_20 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(ls, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(ls, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(ls, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(ls, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS lgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS rgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(lb, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(lb, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(lb, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(lb, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS lbgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rb, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(rb, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rb, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rb, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS rbgaps
  FROM before_19
),
-- what counts now, and what counted before this batch
counting_21 AS (
  SELECT m, now, inline(if(now,
    concat(
      flatten(transform(ls, l -> transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS now FROM gaps_20)
),
-- what of it has changed
changed_22 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY now DESC) AS n,
      max(if(now, s, NULL)) OVER (PARTITION BY i, o) AS s1, max(if(now, NULL, s)) OVER (PARTITION BY i, o) AS s0
    FROM counting_21
  ) WHERE n = 1 AND NOT s1 <=> s0
),
-- one row for each
join_23 AS (
  SELECT i AS _id, struct(m, i, o, s1 AS s) AS _ord, at AS _ts, TRUE AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changed_22
),
-- the projections; a row whose whole value is null is deleted
project_24 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', k0, 'x1', named_struct('SIZE', v1.`SIZE`)), NULL) AS v
    FROM join_23)
),
-- each with its new key
moved_25 AS (
  SELECT k, _ord, _ts, v FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS k, v0.`x1` AS v FROM project_24
  ) WHERE _live AND k IS NOT NULL
),
-- all that was ever mapped to a key
mapped_26 AS (
  SELECT k, collect_list(struct(bt, _ord AS e, _ts AS at, v)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM moved_25) GROUP BY k
),
-- one row for each change of it
each_27 AS (
  SELECT k, inline(es) FROM mapped_26
),
-- how each stands now
latest_28 AS (
  SELECT * FROM (
    SELECT *, max(e.m) OVER (PARTITION BY k) AS m,
      row_number() OVER (PARTITION BY k, e.i, e.o ORDER BY bt DESC, e.m DESC) AS n FROM each_27
  ) WHERE n = 1
),
-- of those that count the one with the highest rank
newest_29 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k ORDER BY e.s IS NULL, e.o DESC) AS w
    FROM latest_28
  ) WHERE w = 1
),
-- a key whose newest row has left is deleted
rekeyed_30 AS (
  SELECT m AS _ord, at AS _ts, k AS k0, if(e.s, v, NULL) AS v0 FROM newest_29
),
-- a null value deletes
rows_31 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_30
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to O in update mode
SELECT line FROM written_32;

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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('BOSS', v0.`BOSS`), NULL) AS v
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'cities\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_23 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`CITY`, k1) AS j, FALSE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_9 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_8 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_9
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_10 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_12)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_13) GROUP BY g
),
-- each version with the end that it has had by now
ends_15 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_14)
),
-- the versions that live, or have ended just now
living_16 AS (
  SELECT * FROM ends_15 WHERE (l IS NOT NULL OR r IS NOT NULL) AND (x IS NULL OR xf)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_17 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_16 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_18 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_17
  ) WHERE n = 1
),
-- the pairs that come and go
changes_19 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_18
),
-- one row for each
join_20 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_19
),
-- the projections; a row whose whole value is null is deleted
project_21 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', k0, 'x1', named_struct('c0', k0, 'c5', v1.`SIZE`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`c0`: INT, `c5`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
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
  SELECT k0 AS _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS k,
      if(_live, v0.`v`, NULL) AS v
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('k', v0.`x0`, 'v', v0.`x1`), NULL) AS p
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord[0] DIV 512 AS stretch FROM moved_7 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_13
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
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`c0`: INT, `c5`: INT>', map('mode', 'FAILFAST')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'users\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`c0`, k1) AS j, FALSE AS preserved
  FROM counted_7 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_9 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_9 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version with its end
versions_14 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_13)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_15 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_14) GROUP BY g
),
-- each version with the end that it has had by now
ends_16 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_15)
),
-- the versions that live, or have ended just now
living_17 AS (
  SELECT * FROM ends_16 WHERE (l IS NOT NULL OR r IS NOT NULL) AND (x IS NULL OR xf)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_18 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_17 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_19 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_18
  ) WHERE n = 1
),
-- the versions as they were before this batch
before_20 AS (
  SELECT *, transform(filter(ls, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS lb, transform(filter(rs, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS rb,
    array_max(flatten(transform(ls, e -> array(e.o, e.x)) || transform(rs, e -> array(e.o, e.x)))) AS m
  FROM batch_19
),
-- the times in which a side has no row to meet
gaps_21 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(ls, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(ls, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(ls, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(ls, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS lgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS rgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(lb, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(lb, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(lb, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(lb, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS lbgaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rb, q -> q.o)) AS u)),
      transform(filter(array_distinct(transform(filter(rb, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rb, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rb, q -> q.o > m), q -> q.o)) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u, 0)) AS rbgaps
  FROM before_20
),
-- what counts now, and what counted before this batch
counting_22 AS (
  SELECT m, now, inline(if(now,
    concat(
      flatten(transform(ls, l -> transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r))))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS now FROM gaps_21)
),
-- what of it has changed
changed_23 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY now DESC) AS n,
      max(if(now, s, NULL)) OVER (PARTITION BY i, o) AS s1, max(if(now, NULL, s)) OVER (PARTITION BY i, o) AS s0
    FROM counting_22
  ) WHERE n = 1 AND NOT s1 <=> s0
),
-- one row for each
join_24 AS (
  SELECT i AS _id, struct(m, i, o, s1 AS s) AS _ord, at AS _ts, TRUE AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changed_23
),
-- the projections; a row whose whole value is null is deleted
project_25 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`c0`, 'x1', named_struct('SIZE', v0.`c5`)), NULL) AS v
    FROM join_24)
),
-- each with its new key
moved_26 AS (
  SELECT k, _ord, _ts, v FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS k, v0.`x1` AS v FROM project_25
  ) WHERE _live AND k IS NOT NULL
),
-- all that was ever mapped to a key
mapped_27 AS (
  SELECT k, collect_list(struct(bt, _ord AS e, _ts AS at, v)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM moved_26) GROUP BY k
),
-- one row for each change of it
each_28 AS (
  SELECT k, inline(es) FROM mapped_27
),
-- how each stands now
latest_29 AS (
  SELECT * FROM (
    SELECT *, max(e.m) OVER (PARTITION BY k) AS m,
      row_number() OVER (PARTITION BY k, e.i, e.o ORDER BY bt DESC, e.m DESC) AS n FROM each_28
  ) WHERE n = 1
),
-- of those that count the one with the highest rank
newest_30 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k ORDER BY e.s IS NULL, e.o DESC) AS w
    FROM latest_29
  ) WHERE w = 1
),
-- a key whose newest row has left is deleted
rekeyed_31 AS (
  SELECT m AS _ord, at AS _ts, k AS k0, if(e.s, v, NULL) AS v0 FROM newest_30
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'cities\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('SIZE', v0.`SIZE`), NULL) AS v
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`NAME`: STRING, `CODE`: INT>, value STRUCT<`BOSS`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'places\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`SIZE`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'cities\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_23 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0.`NAME`, k1) AS j, FALSE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_9 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_8 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_9
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_10 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_12)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_13) GROUP BY g
),
-- each version with the end that it has had by now
ends_15 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_14)
),
-- the versions that live, or have ended just now
living_16 AS (
  SELECT * FROM ends_15 WHERE (l IS NOT NULL OR r IS NOT NULL) AND (x IS NULL OR xf)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_17 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_16 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_18 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_17
  ) WHERE n = 1
),
-- the pairs that come and go
changes_19 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_18
),
-- one row for each
join_20 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_19
),
-- the projections; a row whose whole value is null is deleted
project_21 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', named_struct('A_NAME', k0.`NAME`, 'CODE', k0.`CODE`), 'x1', named_struct('SIZE', v1.`SIZE`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRUCT<`NAME`: STRING, `CODE`: INT>, `r`: STRING>, value STRUCT<`k`: STRUCT<`NAME`: STRING, `CODE`: INT>, `v`: STRUCT<`x0`: STRUCT<`A_NAME`: STRING, `CODE`: INT>, `x1`: STRUCT<`SIZE`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
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
  SELECT k0 AS _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS k,
      if(_live, v0.`v`, NULL) AS v
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('k', v0.`x0`, 'v', v0.`x1`), NULL) AS p
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord[0] DIV 512 AS stretch FROM moved_7 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_8
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_13
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING, `AMOUNT`: INT, `TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_14 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_16 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the pairs within the window
join_18 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_17 r
    ON l.j = r.j
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
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS j
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
    ON l.j = r.j
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
