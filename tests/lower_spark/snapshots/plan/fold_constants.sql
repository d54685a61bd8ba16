-- # arithmetic of literals
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('n', 19)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a sum that does not fit is null
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('n', CAST(NULL AS INT))) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a negative literal in parentheses
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('n', 2)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # TRUE AND a condition is the condition
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`paid` > 1)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('paid', v0.`paid`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # FALSE decides an AND
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND ((v0.`paid` > 1) AND FALSE)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('paid', v0.`paid`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # FALSE OR a condition is the condition
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`paid` > 1)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('paid', v0.`paid`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # a filter that is always true goes
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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
      if(_live, named_struct('paid', v0.`paid`), NULL) AS v
    FROM changes_5)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to result in append mode
SELECT line FROM written_7;

-- # but not where it drops records without value
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND ((NOT FALSE) OR (v0.`paid` > 1))
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('paid', v0.`paid`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # a null stays, as three values need it
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('x', ((v0.`paid` > 1) AND CAST(NULL AS INT)))) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # branches that are never taken go
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('x', CASE WHEN (v0.`paid` > 1) THEN 2 ELSE 3 END)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a branch that is always taken is all
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('x', v0.`paid`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # inside an aggregate
-- strategy: STREAM aggregation, native
-- query result
-- keeps one row per group: INT
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, try_add(v0.`order_id`, 0) AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_10 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_7 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', try_cast(sum(CAST(try_multiply(v0.`paid`, 3) AS BIGINT)) AS BIGINT)) AS v0
  FROM members_6 GROUP BY _group
),
-- a null value deletes
rows_8 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_7
),
-- the projections; a row whose whole value is null is deleted
project_9 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('s', v0.`a0`), NULL) AS v
    FROM rows_8)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to result in update mode
SELECT line FROM written_10;

-- # integers are widened
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `big`: BIGINT, `price`: DOUBLE>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  WHERE v0 IS NOT NULL AND ((v0.`big` > CAST('2' AS BIGINT)) AND (v0.`price` > CAST('6.0' AS DOUBLE)))
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # division is left to the engines
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('x', try_cast(((7) div 2) as int), 'y', try_cast(((1) div nullif(0, 0)) as int))) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # in a join's conditions
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, if((v0.`amount` > 5), try_add(v0.`customer_id`, 0), NULL), if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM identified_4;
-- counted_6: events_5, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_26 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_8 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_9 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM spread_8 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_9
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_10 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_11
),
-- each version of a row by what joins it, with its end
moved_13 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_12)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_14 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM moved_13 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_15 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_14
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_16 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_15) GROUP BY j
),
-- this batch's events, and the table's last one before
current_17 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_16)
),
-- an end of what was not the newest row means nothing
newer_18 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_17
),
-- the rows as they come and go
dated_19 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_18
),
-- each record with the table event before it, and the first row behind it
settled_20 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_19
),
-- what this batch settles, and what it leaves unmatched
now_21 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 604800000),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_20
),
-- with the records that have waited since the table last had a row
waiting_22 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_21 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_23 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 604800000),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_22)
),
-- one record for each
join_24 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_23)
),
-- the projections
project_25 AS (
  SELECT _ord, _ts,
    try_add(v0.`customer_id`, 0) AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_24
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to result in update mode
SELECT line FROM written_26;
