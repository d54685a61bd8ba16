-- # stream as it is
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM records_3;
-- written to out in append mode
SELECT line FROM written_4;

-- # table as it is
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM changes_5;
-- written to out in append mode
SELECT line FROM written_6;

-- # stream projected and filtered
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND ((v0.`n` = 1) OR (v0.`id` > 0))
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('n', try_add(v0.`n`, 1), 'name', coalesce(v0.`name`, '?'))) AS v0
  FROM filter_4
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to out in append mode
SELECT line FROM written_6;

-- # table projected and filtered
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce(((v0.`n` = 1) OR (v0.`name` IS NULL)), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- the projections; a row whose whole value is null is deleted
project_7 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'k', k0), NULL) AS v
    FROM filter_6)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to out in append mode
SELECT line FROM written_8;

-- # filter by the key
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 = 'p')
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM filter_4
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to out in append mode
SELECT line FROM written_6;

-- # case over nulls
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('c', CASE WHEN (v0.`n` = 1) THEN 'one' WHEN (v0.`n` > 1) THEN 'more' ELSE CAST(NULL AS STRING) END, 'i', (v0.`n` IN (0, CAST(NULL AS INT))))) AS v0
  FROM records_3
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to out in append mode
SELECT line FROM written_5;

-- # whole facets
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('old_key', k0, 'old_value', v0)) AS v0
  FROM records_3
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to out in append mode
SELECT line FROM written_5;

-- # field as the value
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0.`n`) AS v0
  FROM records_3
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to out in append mode
SELECT line FROM written_5;

-- # field as the value of a table
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
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
      if(_live, v0.`n`, NULL) AS v
    FROM changes_5)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to out in append mode
SELECT line FROM written_7;

-- # null values filtered
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_7 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, v0.`n`) AS v0
  FROM records_3
),
-- the records that satisfy the condition
filter_5 AS (
  SELECT * FROM project_4
  WHERE v0 IS NOT NULL AND (v0 IS NULL)
),
-- the projections
project_6 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('v', v0)) AS v0
  FROM filter_5
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to out in append mode
SELECT line FROM written_7;

-- # primitive values
-- query out
-- keeps no state
-- lines_1: the lines of points as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the lines of points, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value INT', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'points'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'points\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0 > 0)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('v', try_add(v0, 1))) AS v0
  FROM filter_4
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to out in append mode
SELECT line FROM written_6;

-- # key made a struct
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    named_struct('id', v0.`id`, 'name', v0.`name`) AS k0,
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
  FROM records_3
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to out in append mode
SELECT line FROM written_5;

-- # struct keys
-- query out
-- keeps no state
-- lines_1: the lines of pairs as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of pairs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`id`: INT, `side`: STRING>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'pairs'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'pairs\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((k0.`id` = 1), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- the projections; a row whose whole value is null is deleted
project_7 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'side', k0.`side`), NULL) AS v
    FROM filter_6)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to out in append mode
SELECT line FROM written_8;

-- # stream rekeyed
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
  FROM records_3
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to out in append mode
SELECT line FROM written_5;

-- # table rekeyed
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`id`, 'v', named_struct('n', v0.`n`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to out in update mode
SELECT line FROM written_15;

-- # table rekeyed, of bare values
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live AND v0.`n` IS NOT NULL, named_struct('k', v0.`name`, 'v', v0.`n`), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to out in update mode
SELECT line FROM written_15;

-- # rekeyed table filtered
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`n` > 0), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`id`, 'v', named_struct('n', v0.`n`, 'name', v0.`name`)), NULL) AS p
  FROM filter_6
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_8 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_7 DISTRIBUTE BY k0)
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to out in update mode
SELECT line FROM written_16;

-- # two writers of one stream
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'x', v0.`n`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'x', v0.`m`)) AS v0
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
-- the lines of t
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to t in append mode
SELECT line FROM written_12;

-- # two targets
-- query out.s
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`n` > 0)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'n', v0.`n`)) AS v0
  FROM filter_4
)
-- the lines of s
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to s in append mode
SELECT line FROM written_6;

-- query out.t
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW project_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`n` > 0)
)
-- the projections
SELECT _ord, _ts,
  k0 AS k0,
  if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'n', v0.`n`)) AS v0
FROM filter_4;
-- counted_6: project_5, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_7 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_6 WHERE k0 IS NOT NULL
)
-- the lines of t
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM changes_7;
-- written to t in append mode
SELECT line FROM written_8;

-- # table of a stream
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW project_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the projections
SELECT _ord, _ts,
  v0.`name` AS k0,
  if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
FROM records_3;
-- counted_5: project_4, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_6 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_5 WHERE k0 IS NOT NULL
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM changes_6;
-- written to out in append mode
SELECT line FROM written_7;

-- # table of a filtered stream
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW project_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`n` > 0)
)
-- the projections
SELECT _ord, _ts,
  k0 AS k0,
  if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'n', v0.`n`)) AS v0
FROM filter_4;
-- counted_6: project_5, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_7 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_6 WHERE k0 IS NOT NULL
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM changes_7;
-- written to out in append mode
SELECT line FROM written_8;

-- # changes of a table
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_9 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`n` > 0), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- the projections; a row whose whole value is null is deleted
project_7 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`), NULL) AS v
    FROM filter_6)
),
-- each change of the table is a record
stream_8 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_7
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM stream_8;
-- written to out in append mode
SELECT line FROM written_9;

-- # changes of a table of a stream
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW project_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the projections
SELECT _ord, _ts,
  v0.`name` AS k0,
  if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
FROM records_3;
-- counted_5: project_4, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_10 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_6 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_5 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_7 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`), NULL) AS v
    FROM changes_6)
),
-- each change of the table is a record
stream_8 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
  FROM stream_8
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in append mode
SELECT line FROM written_10;

-- # lateral
-- query out
-- keeps no state
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'x', v1) AS v0
  FROM lateral_6
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to out in append mode
SELECT line FROM written_8;

-- # lateral and everything
-- query out
-- keeps no state
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_9 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the records that satisfy the condition
filter_7 AS (
  SELECT * FROM lateral_6
  WHERE (v1 > 0)
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'xs', v0.`xs`, 'x', v1) AS v0
  FROM filter_7
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to out in append mode
SELECT line FROM written_9;

-- # lateral twice
-- query out
-- keeps no state
-- lines_1: the lines of nested as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of nested, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xss`: ARRAY<ARRAY<INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'nested'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'nested\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_9 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xss`) u AS i, e
),
-- a record for each element
lateral_7 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0, k1, v1,
    CAST(NULL AS INT) AS k2, u.e AS v2
  FROM lateral_6 LATERAL VIEW posexplode(v1) u AS i, e
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'x', v2) AS v0
  FROM lateral_7
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to out in append mode
SELECT line FROM written_9;

-- # lateral of what the query lists
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_9 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(array(v0.`id`, v0.`n`)) u AS i, e
),
-- the records that satisfy the condition
filter_7 AS (
  SELECT * FROM lateral_6
  WHERE ((v0.`id` IS NULL) OR (v1 IS NULL))
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'x', v1) AS v0
  FROM filter_7
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to out in append mode
SELECT line FROM written_9;

-- # stream of joined elements with the elements
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('id', v0.`id`), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out.stage2
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, c as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`id`: INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'c' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'c'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(NOT _s, v0.`k`, NULL) AS k0,
    if(NOT _s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, k1, if(_live, k0, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k1, 'v', v1), NULL) AS s,
  if(_live, named_struct('k', k0, 'v', v0), NULL) AS t,
  _s AND v1 IS NULL AS _empty, _i0 AS _id
FROM project_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k1, o.s.v AS v1, o.t.k AS k0, o.t.v AS v0
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    k1 AS k0,
    named_struct('z', v1.`z`) AS v0
  FROM join_25
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_27;

-- query out.stage3
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.3 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.2, _lsqlc.out.3 as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x`: INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.2' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.2', '_lsqlc.out.3'))
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
),
-- the projections of the table
project_5 AS (
  SELECT _i1, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
    if(NOT _s, v1.`k`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) AS v1
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, if(_live, k1, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM project_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < array(e.o[0])), -1), prev) AS m,
    get(filter(ts, z -> z.o >= array(e.o[0]) AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('z', v0.`z`, 'x', v1.`x`) AS v0
  FROM join_25
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to out in update mode
SELECT line FROM written_27;

-- # null elements as values
-- query out
-- keeps no state
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_10 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM lateral_6
),
-- the records that satisfy the condition
filter_8 AS (
  SELECT * FROM project_7
  WHERE v0 IS NOT NULL AND ((v0 IS NULL) OR (v0 > 0))
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('v', v0)) AS v0
  FROM filter_8
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in append mode
SELECT line FROM written_10;

-- # lateral of a table, counted
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<row: STRING, index: BIGINT>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`, 'x1', v0.`x1`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # lateral of a table, rekeyed
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', v1, 'x1', named_struct('id', v0.`id`)), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`id`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to out in update mode
SELECT line FROM written_16;

-- # lateral grouped
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW grouped_8 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('x0', v1) AS v0
  FROM lateral_6
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`x0` AS _group
FROM project_7;
-- counted_9: grouped_8, counting count_if(TRUE AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_14 AS
WITH
-- records without a group do not count
members_10 AS (
  SELECT * FROM counted_9 WHERE TRUE AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*)) AS v0
  FROM members_10 GROUP BY _group
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # aggregate of a stream
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`id` AS _group
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
    named_struct('a0', count(*), 'a1', count(v0.`n`), 'a2', try_cast(sum(CAST(v0.`n` AS BIGINT)) AS BIGINT), 'a3', avg(CAST(v0.`n` AS DOUBLE))) AS v0
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
      if(_live, named_struct('c', v0.`a0`, 'cn', v0.`a1`, 's', v0.`a2`, 'a', v0.`a3`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # aggregate of a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x1', v0.`n`, 'x2', v0.`n`, 'x3', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', sum(if(p.x1 IS NULL, 0L, w)), 'a2', if(sum(if(p.x2 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x2 AS BIGINT) * w) AS BIGINT)), 'a3', if(sum(if(p.x3 IS NULL, 0L, w)) = 0, NULL, CAST(sum(CAST(p.x3 AS BIGINT) * w) AS DOUBLE) / sum(if(p.x3 IS NULL, 0L, w))))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 'cn', v0.`a1`, 's', v0.`a2`, 'a', v0.`a3`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # ordered aggregates
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT, with all its values, of which the lists are made, growing with updates
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`id` AS _group
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
    named_struct('a0', min_by(v0.`n`, _ord), 'a1', max_by(v0.`n`, _ord), 'a2', coalesce(min_by(v0.`n`, _ord, 3) FILTER (WHERE v0.`n` IS NOT NULL), array()), 'a3', slice(array_distinct(transform(sort_array(collect_list(struct(_ord AS o, v0.`n` AS x)) FILTER (WHERE v0.`n` IS NOT NULL)), e -> e.x)), 1, 2)) AS v0
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
      if(_live, named_struct('f', v0.`a0`, 'l', v0.`a1`, 'c', v0.`a2`, 'u', v0.`a3`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # greatest and least
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`id` AS _group
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
    named_struct('a0', max(v0.`n`), 'a1', coalesce(max_by(v0.`n`, v0.`n`, 2) FILTER (WHERE v0.`n` IS NOT NULL), array()), 'a2', coalesce(min_by(v0.`n`, v0.`n`, 2) FILTER (WHERE v0.`n` IS NOT NULL), array()), 'a3', slice(sort_array(collect_set(v0.`n`), FALSE), 1, 2)) AS v0
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
      if(_live, named_struct('m', v0.`a0`, 'mm', v0.`a1`, 'i', v0.`a2`, 'u', v0.`a3`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # collected from a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x0', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT k0 AS _row, now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT k0, get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, w, p.x0 AS x)))), es -> filter(es, (e, i) -> e.w > 0 AND e.x IS NOT NULL AND NOT coalesce(get(es, i + 1)._row <=> e._row, FALSE))), 0), e -> e.x), 1, 2))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # groups of several keys
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: id, who
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, named_struct('id', v0.`id`, 'who', v0.`name`) AS _group
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
    named_struct('a0', count(*)) AS v0
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
      if(_live, named_struct('c', v0.`a0`, 'i', k0.`id`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # grouped by an alias
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: id
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`n` > 0), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', named_struct('id', v0.`id`)), NULL) AS p
  FROM filter_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # having
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x0', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', if(sum(if(p.x0 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x0 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- a row that does not satisfy the condition is deleted
filter_12 AS (
  SELECT _ord, _ts, _live AND coalesce(((v0.`a0` > CAST('1' AS BIGINT)) AND (v0.`a0` IS NOT NULL)), FALSE) AS _live,
    k0, v0
  FROM rows_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('s', v0.`a0`), NULL) AS v
    FROM filter_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # grouped by the key
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
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
    named_struct('a0', count(*)) AS v0
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
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # aggregate of an aggregate
-- strategy: STREAM aggregation, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`name` AS _group
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
    named_struct('a0', try_cast(sum(CAST(v0.`n` AS BIGINT)) AS BIGINT)) AS v0
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
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_10;

-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: BIGINT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`s`: BIGINT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`s`, 'x1', v0.`s`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS DECIMAL(20,0)) * w) AS BIGINT)))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 't', v0.`a1`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # aggregate of pairs with another time
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
    SELECT *, v0.`id` AS k,
      if(_live, named_struct('id', v0.`id`, 'm', v1.`m`), NULL) AS v
    FROM join_20)
),
-- the time of each record
at_22 AS (
  SELECT _id, _ord, if(v0 IS NULL, _ts, if(coalesce(try_cast(try_multiply(coalesce(v0.`m`, 0), 7) as BIGINT) BETWEEN 0L AND 253402300799999L, FALSE), try_cast(try_multiply(coalesce(v0.`m`, 0), 7) as BIGINT), raise_error('EVENTTIME BY gives no time from 1970 to 9999 for a record'))) AS _ts, _live, k0, v0
  FROM project_21
),
-- the rows by what tells them apart
passed_23 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM at_22
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_23;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_24;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<l: STRING, r: STRING>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`id`: INT, `m`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`id`, 'x1', v0.`m`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # changes of a table with another time
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_9 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the time of each record
at_6 AS (
  SELECT _ord, if(v0 IS NULL, _ts, if(coalesce(try_cast(try_multiply(coalesce(v0.`n`, 0), 7) as BIGINT) BETWEEN 0L AND 253402300799999L, FALSE), try_cast(try_multiply(coalesce(v0.`n`, 0), 7) as BIGINT), raise_error('EVENTTIME BY gives no time from 1970 to 9999 for a record'))) AS _ts, _live, k0, v0
  FROM changes_5
),
-- each change of the table is a record
stream_7 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM at_6
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`)) AS v0
  FROM stream_7
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to out in append mode
SELECT line FROM written_9;

-- # collected in order of keys with nulls
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRUCT<id: INT, side: STRING>
-- keeps one row per group: BOOLEAN, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of pairs as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of pairs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`id`: INT, `side`: STRING>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'pairs'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'pairs\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', (v0 IS NULL), 'x0', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT k0 AS _row, now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT k0, get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, w, p.x0 AS x)))), es -> filter(es, (e, i) -> e.w > 0 AND e.x IS NOT NULL AND NOT coalesce(get(es, i + 1)._row <=> e._row, FALSE))), 0), e -> e.x), 1, 5))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # aggregate of a rekeyed table
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`name`, 'v', named_struct('id', v0.`id`, 'n', v0.`n`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x1', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # changes of an aggregate
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_11)
),
-- each change of the table is a record
stream_13 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_12
),
-- the records that satisfy the condition
filter_14 AS (
  SELECT * FROM stream_13
  WHERE v0 IS NOT NULL AND (v0.`c` > CAST('0' AS BIGINT))
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('c', v0.`c`)) AS v0
  FROM filter_14
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to out in update mode
SELECT line FROM written_16;

-- # tables by key
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_14
),
-- a row where INNER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # tables by key, left
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    if(l.matches, r, NULL) AS r
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AS _live,
    if(l IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # tables by key, right
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, if(r.matches, l, NULL) AS l,
    r AS r
  FROM newest_14
),
-- a row where RIGHT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, r IS NOT NULL AS _live,
    if(r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k1 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # tables by key, outer
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_14
),
-- a row where OUTER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL OR r IS NOT NULL AS _live,
    if(l IS NOT NULL OR r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL OR r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # tables on fields
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_23;

-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`n`: INT, `m`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to out in update mode
SELECT line FROM written_16;

-- # tables on fields, left
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, _s AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables on fields, right
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, NOT _s AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v1.`id`, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables on fields, outer
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`id`, v1.`id`), 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables on a field and a key
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, v1.`ref`) AS j, _s AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', k0, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables on two equalities
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if(v0.`id` IS NOT NULL AND v0.`name` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`name`), NULL), if(v1.`id` IS NOT NULL AND v1.`ref` IS NOT NULL, named_struct('j0', v1.`id`, 'j1', v1.`ref`), NULL)) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', named_struct('id', coalesce(v0.`id`, v1.`id`), 'name', coalesce(v0.`name`, v1.`ref`)), 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables with conditions
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
-- a row of the table that does not satisfy the condition is deleted
SELECT _i0, _i1, _s, _ord, _ts, _live AND if(NOT _s, coalesce((v1.`m` > 0), FALSE), TRUE) AS _live,
  k0, v0, k1, v1
FROM identified_5;
-- counted_7: filter_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if((v0.`n` > 0), v0.`id`, NULL), v1.`id`) AS j, _s AS preserved
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
-- the versions of each side
living_17 AS (
  SELECT * FROM ends_16 WHERE (l IS NOT NULL OR r IS NOT NULL)
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
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # tables with conditions, outer
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if((v0.`n` > 0), k0, NULL), if((v1.`m` > 0), k1, NULL)) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(k0, k1), 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables joined, then filtered
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    if(l.matches, r, NULL) AS r
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AS _live,
    if(l IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- a row that does not satisfy the condition is deleted
filter_17 AS (
  SELECT _ord, _ts, _live AND coalesce(((v1.`m` IS NULL) OR (v0.`n` = v1.`m`)), FALSE) AS _live,
    k0, v0, k1, v1
  FROM join_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM filter_17)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to out in update mode
SELECT line FROM written_19;

-- # tables joined, then filtered by the optional side
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    if(l.matches, r, NULL) AS r
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AS _live,
    if(l IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- a row that does not satisfy the condition is deleted
filter_17 AS (
  SELECT _ord, _ts, _live AND coalesce((v1.`m` > 0), FALSE) AS _live,
    k0, v0, k1, v1
  FROM join_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM filter_17)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to out in update mode
SELECT line FROM written_19;

-- # tables joined, then grouped
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, _s AS preserved
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
-- the times in which a side has no row to meet
gaps_19 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_18
),
-- the pairs that come and go, and the rows that stand alone
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || a.o, a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_19
),
-- a row that one record both ends and begins goes on
settled_21 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_20) WHERE n = 1
),
-- one row for each
join_22 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`n`, 'x1', v1.`m`), NULL) AS v
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_25;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<l: STRING, r: STRING>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`, 'x1', v0.`x1`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # tables of different numbers
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: BIGINT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, c as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'c'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, try_cast(v0.`n` as BIGINT), v1.`z`) AS j, FALSE AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', try_cast(v0.`n` as BIGINT), 'x1', named_struct('n', v0.`n`, 'i', v0.`id`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_23;

-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: BIGINT, `x1`: STRUCT<`n`: INT, `i`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to out in update mode
SELECT line FROM written_16;

-- # three tables
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, _s AS preserved
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
-- the times in which a side has no row to meet
gaps_19 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_18
),
-- the pairs that come and go, and the rows that stand alone
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(array_contains(l.o || r.o, -1L), greatest(l.o, r.o) || array(-1L) || if(if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) > if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) || if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o) || if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o)), if(l.o > r.o, l.o || r.o, r.o || l.o)) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || array(-1L) || if(array_contains(a.o, -1L), slice(a.o, CAST(size(a.o) - array_position(reverse(a.o), -1L) + 2 AS INT), size(a.o)), a.o), a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_19
),
-- a row that one record both ends and begins goes on
settled_21 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_20) WHERE n = 1
),
-- one row for each
join_22 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`id` AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_25;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, d as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`n`: INT, `m`: INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `z`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'd'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'d\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, if(_s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(_s, v0.`k`, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM project_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`m`, v1.`id`) AS j, _s AS preserved
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
-- the versions of each side
living_17 AS (
  SELECT * FROM ends_16 WHERE (l IS NOT NULL OR r IS NOT NULL)
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
      if(_live, named_struct('x0', v0.`m`, 'x1', named_struct('n', v0.`n`, 'm', v0.`m`, 'z', v1.`z`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # three tables by key
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out.stage1
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_14
),
-- a row where OUTER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL OR r IS NOT NULL AS _live,
    if(l IS NOT NULL OR r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL OR r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_18;

-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT _ord AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT, `m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`z`: BIGINT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of c, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'c'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT, `m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`z`: BIGINT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_14
),
-- a row where OUTER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL OR r IS NOT NULL AS _live,
    if(l IS NOT NULL OR r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL OR r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v0.`m`, 'z', v1.`z`), NULL) AS v
    FROM join_16)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # a table with itself
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1)
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`n`, v1.`id`) AS j, _s AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`n`, 'x1', named_struct('n', v0.`n`, 'm', v1.`n`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # everything of two tables
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`id`, v1.`id`), 'x1', named_struct('id', coalesce(v0.`id`, v1.`id`), 'n', v0.`n`, 'name', v0.`name`, 'm', v1.`m`, 'ref', v1.`ref`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # changes of a join
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`n`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    if(l.matches, r, NULL) AS r
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AS _live,
    if(l IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_16)
),
-- each change of the table is a record
stream_18 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_17
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('n', v0.`n`, 'm', v0.`m`)) AS v0
  FROM stream_18
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to out in update mode
SELECT line FROM written_20;

-- # stream with table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND j IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM current_10
),
-- the records that met a row
matched_12 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_11
),
-- one record for each
join_13 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_12)
),
-- the projections
project_14 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to out in update mode
SELECT line FROM written_15;

-- # stream with table, left
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # table with stream, right
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('b', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k1, k0) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k1, 'v', v1), NULL) AS s,
  if(_live, named_struct('k', k0, 'v', v0), NULL) AS t,
  _s AND v1 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k1, o.s.v AS v1, o.t.k AS k0, o.t.v AS v0
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k1 AS k0,
    named_struct('n', v1.`n`, 'm', v0.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream with table on a field
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`id`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
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
        p -> cur.appeared.at - p.at <= 8),
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
    v0.`id` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_24
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to out in update mode
SELECT line FROM written_26;

-- # stream with table on a key
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`name`, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v0.`name` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream with table and conditions
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
),
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i1, _s, _ord, _ts, _live AND if(NOT _s, coalesce((v1.`m` > 0), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, if((v0.`n` > 0), v0.`id`, NULL), if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM filter_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_25
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to out in update mode
SELECT line FROM written_27;

-- # stream with filtered table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- a row of the table that does not satisfy the condition is deleted
filter_4 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((v1.`m` > 0), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_18 AS
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
-- what this batch settles, and what it leaves unmatched
now_13 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_12
),
-- with the records that have waited since the table last had a row
waiting_14 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_13 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_15 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_14)
),
-- one record for each
join_16 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_15)
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_16
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in update mode
SELECT line FROM written_18;

-- # stream with aggregate
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ref`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`ref`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_11)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_13;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`c`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'c', v1.`c`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream with outer tables
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`z`: BIGINT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the lines of c, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_7 WHERE _topic = 'c'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_12 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`m`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: STRING, v: STRUCT<`z`: BIGINT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_13 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_15 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_14
),
-- a row where OUTER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL OR r IS NOT NULL AS _live,
    if(l IS NOT NULL OR r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL OR r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('m', v0.`m`, 'z', v1.`z`), NULL) AS v
    FROM join_16)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_18;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, array(_r0.ordinal)) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`, 'z', v1.`z`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream with left tables on a field
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of b, c as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', 'c'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`m`, v1.`id`) AS j, _s AS preserved
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
-- the times in which a side has no row to meet
gaps_19 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_18
),
-- the pairs that come and go, and the rows that stand alone
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || a.o, a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_19
),
-- a row that one record both ends and begins goes on
settled_21 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_20) WHERE n = 1
),
-- one row for each
join_22 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`m` AS k,
      if(_live, named_struct('id', v0.`id`, 'm', v0.`m`, 'z', v1.`z`), NULL) AS v
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_25;

-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, d as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `z`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`id`: INT, `m`: INT, `z`: BIGINT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'd' AS _s FROM lines_1 WHERE _topic IN ('d', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, array(_r0.ordinal)) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'d\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i1, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
    if(NOT _s, v1.`k`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) AS v1
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`id`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM project_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    named_struct('y', v0.`z`, 'm', v1.`m`, 'z', v1.`z`) AS v0
  FROM join_25
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to out in update mode
SELECT line FROM written_27;

-- # outer tables on a field, rekeyed
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
CREATE TEMPORARY VIEW written_22 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, k1) AS j, FALSE AS preserved
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
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(array_contains(l.o || r.o, -1L), greatest(l.o, r.o) || array(-1L) || if(if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) > if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) || if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o) || if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o)), if(l.o > r.o, l.o || r.o, r.o || l.o)) AS o, TRUE AS live,
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('m', v1.`m`), NULL) AS v
    FROM join_20)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_21;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_22;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, c as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'c' AS _s FROM lines_1 WHERE _topic IN ('c', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, array(_r0.ordinal)) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, k1) AS j, _s AS preserved
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v1.`m`, 9), 'x1', named_struct('z', v0.`z`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # two writers of one topic
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'x', v0.`n`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_6 WHERE _topic = 'a'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`n`, 'x', v0.`id`)) AS v0
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
-- the lines of t
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to t in append mode
SELECT line FROM written_12;

-- # stream with rekeyed table
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'b'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`ref`, 'v', named_struct('m', v0.`m`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream with table, grouped
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- strategy: STREAM aggregation, native
-- query out.stage1
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(k0, k1) AS k0,
    named_struct('x0', v0.`n`, 'x1', v1.`m`) AS v0
  FROM join_15
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_17;

-- query out
-- keeps one row per group: INT
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`x0`: INT, `x1`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`x0` AS _group
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
    named_struct('a0', count(*), 'a1', count(v0.`x1`)) AS v0
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
      if(_live, named_struct('c', v0.`a0`, 'cm', v0.`a1`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # missing table rows as values
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- strategy: STREAM aggregation, native
-- query out.stage1
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM join_15
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_17;

-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
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
    named_struct('a0', count(*)) AS v0
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
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # newest of stream with table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW project_16 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
)
-- the projections
SELECT _ord, _ts,
  k0 AS k0,
  named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
FROM join_15;
-- counted_17: project_16, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_19 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_18 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_17 WHERE k0 IS NOT NULL
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM changes_18;
-- written to out in update mode
SELECT line FROM written_19;

-- # streams
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams, left
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams, right
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l RIGHT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v1.`id` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams, outer
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l FULL JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(v0.`id`, v1.`id`) AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams with conditions
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', if((v0.`n` > 0), v0.`id`, NULL), 'null_of', if(if((v0.`n` > 0), v0.`id`, NULL) IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
),
-- the records that satisfy the condition
filter_11 AS (
  SELECT * FROM records_10
  WHERE v0 IS NOT NULL AND (v0.`m` > 0)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_11;
-- timed_13: dated_12 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_15 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_14 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the pairs within the window
join_16 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_15 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_16
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to out in append mode
SELECT line FROM written_18;

-- # streams on two equalities
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', if(v0.`id` IS NOT NULL AND v0.`name` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`name`), NULL), 'null_of', if(if(v0.`id` IS NOT NULL AND v0.`name` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`name`), NULL) IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', if(v0.`id` IS NOT NULL AND v0.`ref` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`ref`), NULL), 'null_of', if(if(v0.`id` IS NOT NULL AND v0.`ref` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`ref`), NULL) IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l FULL JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    named_struct('id', coalesce(v0.`id`, v1.`id`), 'name', coalesce(v0.`name`, v1.`ref`)) AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # a stream with itself
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`n`, 'null_of', if(v0.`n` IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'a'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v0.`n` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`n`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams filtered
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`n` > 0)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS j
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_9 WHERE _topic = 'b'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_11;
-- timed_13: dated_12 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_15 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS j
FROM timely_14 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_16 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l LEFT JOIN right_15 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the records that satisfy the condition
filter_17 AS (
  SELECT * FROM join_16
  WHERE (v1.`m` IS NULL)
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM filter_17
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to out in append mode
SELECT line FROM written_19;

-- # three streams
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out.stage1
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to _lsqlc.out.1 in append mode
SELECT line FROM written_17;

-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of c, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `z`: BIGINT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'c'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', v0.`id`, 'null_of', if(v0.`id` IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN l._ord WHEN l._ord IS NULL THEN array(r._ord)
      WHEN l._ord > array(r._ord) THEN l._ord || array(r._ord)
      ELSE array(r._ord) || l._ord END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l FULL JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(v0.`id`, v1.`id`) AS k0,
    named_struct('n', v0.`n`, 'm', v0.`m`, 'z', v1.`z`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # streams, then a table
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the records of both sides, for 86400005 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400005 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l FULL JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at + INTERVAL 5 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(k0, k1) AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to _lsqlc.out.1 in append mode
SELECT line FROM written_17;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, c as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'c'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < array(e.o[0])), -1), prev) AS m,
    get(filter(ts, z -> z.o >= array(e.o[0]) AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v0.`m`, 'z', v1.`z`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # streams grouped
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- strategy: STREAM aggregation, native
-- query out.stage1
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(k0, k1) AS k0,
    named_struct('x0', v0.`n`, 'x1', v1.`m`) AS v0
  FROM join_15
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to _lsqlc.out.1 in append mode
SELECT line FROM written_17;

-- query out
-- keeps one row per group: INT
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`x0`: INT, `x1`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`x0` AS _group
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
    named_struct('a0', count(*), 'a1', max_by(v0.`x1`, _ord)) AS v0
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
      if(_live, named_struct('c', v0.`a0`, 'l', v0.`a1`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # streams laid open
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'a'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('xs', v0.`xs`, 'n', v1.`n`) AS v0
  FROM join_15
),
-- a record for each element
lateral_17 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM project_16 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'x', v1) AS v0
  FROM lateral_17
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to out in append mode
SELECT line FROM written_19;

-- # tables on their keys and a field
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if(k0 IS NOT NULL AND v0.`id` IS NOT NULL, named_struct('j0', k0, 'j1', v0.`id`), NULL), if(k1 IS NOT NULL AND v1.`id` IS NOT NULL, named_struct('j0', k1, 'j1', v1.`id`), NULL)) AS j, _s AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', named_struct('_key', k0, 'id', v0.`id`), 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables with conditions, right
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, coalesce((v0.`n` > 0), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM filter_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, if((v1.`m` > 0), v1.`id`, NULL)) AS j, NOT _s AS preserved
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
-- the versions of each side
living_17 AS (
  SELECT * FROM ends_16 WHERE (l IS NOT NULL OR r IS NOT NULL)
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
      if(_live, named_struct('x0', v1.`id`, 'x1', named_struct('n', v0.`n`, 'm', v1.`m`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # table with stream and conditions, right
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('b', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(NOT _s, coalesce((v0.`m` > 0), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, if((v1.`n` > 0), v1.`id`, NULL), if(_live, v0.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k1, 'v', v1), NULL) AS s,
  if(_live, named_struct('k', k0, 'v', v0), NULL) AS t,
  _s AND v1 IS NULL AS _empty, _i0 AS _id
FROM filter_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k1, o.s.v AS v1, o.t.k AS k0, o.t.v AS v0
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    v1.`id` AS k0,
    named_struct('n', v1.`n`, 'm', v0.`m`) AS v0
  FROM join_25
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to out in update mode
SELECT line FROM written_27;

-- # stream with table on two equalities
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, if(v0.`id` IS NOT NULL AND v0.`name` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`name`), NULL), if(_live, if(v1.`id` IS NOT NULL AND v1.`ref` IS NOT NULL, named_struct('j0', v1.`id`, 'j1', v1.`ref`), NULL), NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
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
        p -> cur.appeared.at - p.at <= 8),
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
    named_struct('id', v0.`id`, 'name', v0.`name`) AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_24
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to out in update mode
SELECT line FROM written_26;

-- # stream with its own table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1)
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`n`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
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
        p -> cur.appeared.at - p.at <= 8),
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
    v0.`n` AS k0,
    named_struct('n', v0.`n`, 'm', v1.`n`) AS v0
  FROM join_24
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to out in update mode
SELECT line FROM written_26;

-- # stream with its own table by key
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1)
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND j IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM current_10
),
-- the records that met a row
matched_12 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_11
),
-- one record for each
join_13 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_12)
),
-- the projections
project_14 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`n`) AS v0
  FROM join_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to out in update mode
SELECT line FROM written_15;

-- # streams with conditions, outer
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', if((v0.`n` > 0), v0.`id`, NULL), 'null_of', if(if((v0.`n` > 0), v0.`id`, NULL) IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', if((v0.`m` > 0), v0.`id`, NULL), 'null_of', if(if((v0.`m` > 0), v0.`id`, NULL) IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l FULL JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    coalesce(v0.`id`, v1.`id`) AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in append mode
SELECT line FROM written_17;

-- # elements of a table, named and grouped
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('id', v0.`id`, 'x', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<row: STRING, index: BIGINT>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`id`: INT, `x`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`id`, 'x1', v0.`x`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # elements of a table joined by key
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out.stage2
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x`: INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, if(_s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(_s, v0.`k`, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM project_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_26 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, k1) AS j, _s AS preserved
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
      collect_list(if(i.s, struct(i.l AS i, o, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
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
-- the times in which a side has no row to meet
gaps_20 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_19
),
-- the pairs that come and go, and the rows that stand alone
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || a.o, a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_20
),
-- a row that one record both ends and begins goes on
settled_22 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_21) WHERE n = 1
),
-- one row for each
join_23 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_22
),
-- the projections; a row whose whole value is null is deleted
project_24 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x', v0.`x`, 'n', v1.`n`), NULL) AS v
    FROM join_23)
),
-- the rows by what tells them apart
passed_25 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_24
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_25;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_26;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<l: STRUCT<row: STRING, index: BIGINT>, r: STRING>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRUCT<`row`: STRING, `index`: BIGINT>, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x`: INT, `n`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`n`, 'x1', v0.`x`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # elements of a table joined on them
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('id', v0.`id`, 'x', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`id`: INT, `x`: INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, if(_s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(_s, v0.`k`, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM project_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`x`, v1.`id`) AS j, TRUE AS preserved
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
-- the versions of each side
living_17 AS (
  SELECT * FROM ends_16 WHERE (l IS NOT NULL OR r IS NOT NULL)
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
      if(_live, named_struct('x0', coalesce(v0.`x`, v1.`id`), 'x1', named_struct('id', v0.`id`, 'n', v1.`n`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # stream with elements of a table
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('id', v0.`id`, 'x', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`id`: INT, `x`: INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, array(_r0.ordinal)) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i1, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
    if(NOT _s, v1.`k`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) AS v1
  FROM identified_4
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`n`, if(_live, v1.`x`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM project_5;
-- counted_7: events_6, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_27 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_9 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_8
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM spread_9 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_11 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_12 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_11 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_13 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_12
),
-- each version of a row by what joins it, with its end
moved_14 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_13)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_15 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM moved_14 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_16 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_15
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_17 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_16) GROUP BY j
),
-- this batch's events, and the table's last one before
current_18 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_17)
),
-- an end of what was not the newest row means nothing
newer_19 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_18
),
-- the rows as they come and go
dated_20 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_19
),
-- each record with the table event before it, and the first row behind it
settled_21 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_20
),
-- what this batch settles, and what it leaves unmatched
now_22 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_21
),
-- with the records that have waited since the table last had a row
waiting_23 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_22 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_24 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_23)
),
-- one record for each
join_25 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_24)
),
-- the projections
project_26 AS (
  SELECT _ord, _ts,
    v0.`n` AS k0,
    named_struct('n', v0.`n`, 'id', v1.`id`) AS v0
  FROM join_25
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_26;
-- written to out in update mode
SELECT line FROM written_27;

-- # lateral over the fields of a join
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86400009 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the lines of b, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_8 WHERE _topic = 'b'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86400009 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('j', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS j
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 9 MILLISECONDS AND l._at + INTERVAL 9 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'm', v1.`m`) AS v0
  FROM join_15
),
-- a record for each element
lateral_17 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM project_16 LATERAL VIEW posexplode(array(v0.`n`, v0.`m`, 7)) u AS i, e
),
-- the records that satisfy the condition
filter_18 AS (
  SELECT * FROM lateral_17
  WHERE ((v1 > 0) OR (v1 IS NULL))
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('x', v1) AS v0
  FROM filter_18
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to out in append mode
SELECT line FROM written_20;

-- # stream laid open, then a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out.stage1
-- keeps no state
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`xs`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('x', v1) AS v0
  FROM lateral_6
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to _lsqlc.out.1 in append mode
SELECT line FROM written_8;

-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`x`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`x`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM spread_8 DISTRIBUTE BY g)
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
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM moved_13 DISTRIBUTE BY j)
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
    coalesce(try_element_at(filter(ts, z -> z.o < array(e.o[0])), -1), prev) AS m,
    get(filter(ts, z -> z.o >= array(e.o[0]) AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_19
),
-- what this batch settles, and what it leaves unmatched
now_21 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, x.e.o, concat(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(concat(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
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
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(concat(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
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
    v0.`x` AS k0,
    named_struct('x', v0.`x`, 'm', v1.`m`) AS v0
  FROM join_24
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to out in update mode
SELECT line FROM written_26;

-- # table of a filtered stream, joined
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_7 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, FALSE AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE _s OR (v1 IS NOT NULL AND (v1.`n` > 0))
),
-- the projections of the stream
project_5 AS (
  SELECT _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, v1.`name`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('n', v1.`n`), NULL) AS v1
  FROM filter_4
),
-- the records of a stream as the changes of a table; a null value deletes
rows_6 AS (
  SELECT _s, _ord, _ts, if(NOT _s, v1 IS NOT NULL, _live) AS _live,
    k0, v0, k1, v1
  FROM project_5
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM rows_6;
-- counted_8: events_7, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_20 AS
WITH
-- a table has no row without a key
met_9 AS (
  SELECT * FROM counted_8 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_10 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_9 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_11 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_10
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_12 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_11) GROUP BY j
),
-- this batch's events, and the table's last one before
current_13 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_12)
),
-- each record with the table event before it, and the first row behind it
settled_14 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_13
),
-- what this batch settles, and what it leaves unmatched
now_15 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_14
),
-- with the records that have waited since the table last had a row
waiting_16 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_15 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_17 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_16)
),
-- one record for each
join_18 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_17)
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('m', v0.`m`, 'n', v1.`n`) AS v0
  FROM join_18
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to out in update mode
SELECT line FROM written_20;

-- # table of a stream, joined on a field
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW events_7 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, FALSE AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the projections of the stream
project_4 AS (
  SELECT _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, v1.`name`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('id', v1.`id`, 'n', v1.`n`), NULL) AS v1
  FROM records_3
),
-- the records of a stream as the changes of a table; a null value deletes
rows_5 AS (
  SELECT _s, _ord, _ts, if(NOT _s, v1 IS NOT NULL, _live) AS _live,
    k0, v0, k1, v1
  FROM project_4
),
-- what tells rows apart
identified_6 AS (
  SELECT *, k1 AS _i1 FROM rows_5
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`id`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM identified_6;
-- counted_8: events_7, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_28 AS
WITH
-- a table has no row without a key
met_9 AS (
  SELECT * FROM counted_8 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, TRUE)
),
-- the events of the table by row, those of the stream as they fall
spread_10 AS (
  SELECT o, at, j, s, t,
    struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), 32)) AS bucket) AS g
  FROM met_9
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_11 AS (
  SELECT g, stretch, evs FROM (
    SELECT g, stretch,
      collect_list(struct(o, at, j, s, t)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM spread_10 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_12 AS (
  SELECT g, flatten(evs) AS evs FROM (
    SELECT g,
      collect_list(evs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_11
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_13 AS (
  SELECT g, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_12 GROUP BY g
),
-- the versions of each row, behind the one that stood before
successions_14 AS (
  SELECT g,
    concat(if(get(hs, 1) IS NULL OR g.bucket IS NOT NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_13
),
-- each version of a row by what joins it, with its end
moved_15 AS (
  SELECT * FROM (SELECT inline(transform(vs, (v, i) -> struct(
      v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,
      if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))
    FROM successions_14)
  WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_16 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t, x), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM moved_15 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_17 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_16
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_18 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), struct(try_element_at(ts, -1).o, try_element_at(ts, -1).x IS NOT NULL), 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_17) GROUP BY j
),
-- this batch's events, and the table's last one before
current_19 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_18)
),
-- an end of what was not the newest row means nothing
newer_20 AS (
  SELECT j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM current_19
),
-- the rows as they come and go
dated_21 AS (
  SELECT j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,
      array(struct(z.o AS o, z.at AS at, z.t AS t)),
      array(struct(z.o AS o, z.at AS at, z.t AS t),
        struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,
    struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev
  FROM newer_20
),
-- each record with the table event before it, and the first row behind it
settled_22 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM dated_21
),
-- what this batch settles, and what it leaves unmatched
now_23 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_22
),
-- with the records that have waited since the table last had a row
waiting_24 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_23 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_25 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_24)
),
-- one record for each
join_26 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_25)
),
-- the projections
project_27 AS (
  SELECT _ord, _ts,
    v0.`id` AS k0,
    named_struct('m', v0.`m`, 'n', v1.`n`) AS v0
  FROM join_26
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_27;
-- written to out in update mode
SELECT line FROM written_28;

-- # tables of streams, joined on a field
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_8 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the records of the stream that satisfy the condition
filter_5 AS (
  SELECT * FROM identified_4
  WHERE _s OR (v1 IS NOT NULL AND (v1.`n` > 0))
),
-- the projections of the stream
project_6 AS (
  SELECT _i0, _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, v1.`name`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('id', v1.`id`, 'n', v1.`n`), NULL) AS v1
  FROM filter_5
),
-- the records of a stream as the changes of a table; a null value deletes
rows_7 AS (
  SELECT _i0, _s, _ord, _ts, if(NOT _s, v1 IS NOT NULL, _live) AS _live,
    k0, v0, k1, v1
  FROM project_6
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM rows_7;
-- counted_9: identified_8, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_35 AS
WITH
-- the rows of both sides, by what joins them
met_10 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
  FROM counted_9 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_11 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_10
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_12 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_11 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_13 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_12
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_14 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_13 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_15 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_14
),
-- each version with its end
versions_16 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_15)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_17 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_16) GROUP BY g
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_17)
),
-- the versions of each side
living_19 AS (
  SELECT * FROM ends_18 WHERE (l IS NOT NULL OR r IS NOT NULL)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_20 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_19 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_21 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_20
  ) WHERE n = 1
),
-- the versions as they were before this batch
before_22 AS (
  SELECT *, transform(filter(ls, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS lb, transform(filter(rs, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS rb,
    array_max(flatten(transform(ls, e -> array(e.o, e.x)) || transform(rs, e -> array(e.o, e.x)))) AS m
  FROM batch_21
),
-- the times in which a side has no row to meet
gaps_23 AS (
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
  FROM before_22
),
-- what counts now, and what counted before this batch
counting_24 AS (
  SELECT m, now, inline(if(now,
    concat(
      flatten(transform(ls, l -> transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS now FROM gaps_23)
),
-- what of it has changed
changed_25 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY now DESC) AS n,
      max(if(now, s, NULL)) OVER (PARTITION BY i, o) AS s1, max(if(now, NULL, s)) OVER (PARTITION BY i, o) AS s0
    FROM counting_24
  ) WHERE n = 1 AND NOT s1 <=> s0
),
-- one row for each
join_26 AS (
  SELECT i AS _id, struct(m, i, o, s1 AS s) AS _ord, at AS _ts, TRUE AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changed_25
),
-- the projections; a row whose whole value is null is deleted
project_27 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`id`, v1.`id`), 'x1', named_struct('m', v0.`m`, 'n', v1.`n`)), NULL) AS v
    FROM join_26)
),
-- each with its new key
moved_28 AS (
  SELECT k, _ord, _ts, v FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS k, v0.`x1` AS v FROM project_27
  ) WHERE _live AND k IS NOT NULL
),
-- all that was ever mapped to a key
mapped_29 AS (
  SELECT k, collect_list(struct(bt, _ord AS e, _ts AS at, v)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM moved_28) GROUP BY k
),
-- one row for each change of it
each_30 AS (
  SELECT k, inline(es) FROM mapped_29
),
-- how each stands now
latest_31 AS (
  SELECT * FROM (
    SELECT *, max(e.m) OVER (PARTITION BY k) AS m,
      row_number() OVER (PARTITION BY k, e.i, e.o ORDER BY bt DESC, e.m DESC) AS n FROM each_30
  ) WHERE n = 1
),
-- of those that count the one with the highest rank
newest_32 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k ORDER BY e.s IS NULL, e.o DESC) AS w
    FROM latest_31
  ) WHERE w = 1
),
-- a key whose newest row has left is deleted
rekeyed_33 AS (
  SELECT m AS _ord, at AS _ts, k AS k0, if(e.s, v, NULL) AS v0 FROM newest_32
),
-- a null value deletes
rows_34 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_33
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_34;
-- written to out in update mode
SELECT line FROM written_35;

-- # pairs joined with pairs
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(array_contains(l.o || r.o, -1L), greatest(l.o, r.o) || array(-1L) || if(if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) > if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) || if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o) || if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o)), if(l.o > r.o, l.o || r.o, r.o || l.o)) AS o, TRUE AS live,
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
    SELECT *, v0.`id` AS k,
      if(_live, named_struct('n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_23;

-- query out.stage2
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of b, c as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `z`: BIGINT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'c' AS _s FROM lines_1 WHERE _topic IN ('c', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, _s AS preserved
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
-- the times in which a side has no row to meet
gaps_19 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_18
),
-- the pairs that come and go, and the rows that stand alone
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(array_contains(l.o || r.o, -1L), greatest(l.o, r.o) || array(-1L) || if(if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) > if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) || if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o) || if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o)), if(l.o > r.o, l.o || r.o, r.o || l.o)) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || array(-1L) || if(array_contains(a.o, -1L), slice(a.o, CAST(size(a.o) - array_position(reverse(a.o), -1L) + 2 AS INT), size(a.o)), a.o), a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_19
),
-- a row that one record both ends and begins goes on
settled_21 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_20) WHERE n = 1
),
-- one row for each
join_22 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`id` AS k,
      if(_live, named_struct('id', v0.`id`, 'z', v0.`z`, 'y', v1.`m`), NULL) AS v
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

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW project_7 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`n`: INT, `m`: INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: INT, `v`: STRUCT<`id`: INT, `z`: BIGINT, `y`: INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', '_lsqlc.out.2'))
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
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, if(_s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(_s, v0.`k`, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
),
-- what tells rows apart
identified_6 AS (
  SELECT *, k1 AS _i1 FROM project_5
)
-- the projections of the table
SELECT _i0, _i1, _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
  if(NOT _s, v1.`k`, NULL) AS k1,
  if(NOT _s AND v1 IS NOT NULL, v1.`v`, NULL) AS v1
FROM identified_6;
-- counted_8: project_7, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_34 AS
WITH
-- the rows of both sides, by what joins them
met_9 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`m`, v1.`id`) AS j, TRUE AS preserved
  FROM counted_8 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_10 AS (
  SELECT i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(
      struct(j, if(j IS NULL, i, NULL) AS i) AS g,
      if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p
  FROM met_9
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_11 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, p)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM rows_10 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_12 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_11
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_13 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_12 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_14 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_13
),
-- each version with its end
versions_15 AS (
  SELECT * FROM (SELECT i, inline(transform(vs, (v, n) -> struct(
      v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,
      if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))
    FROM successions_14)
  WHERE g IS NOT NULL
),
-- with all versions from before this batch
history_16 AS (
  SELECT g, collect_list(struct(bt, i, o, at, x, l, r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM versions_15) GROUP BY g
),
-- each version with the end that it has had by now
ends_17 AS (
  SELECT g, i, o, at, l, r, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS sf, max(x) OVER (PARTITION BY g, i, o) AS x,
    coalesce(max(if(x IS NULL, NULL, bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0))) OVER (PARTITION BY g, i, o), FALSE) AS xf
  FROM (SELECT g, inline(es) FROM history_16)
),
-- the versions of each side
living_18 AS (
  SELECT * FROM ends_17 WHERE (l IS NOT NULL OR r IS NOT NULL)
),
-- the versions of both sides that may meet, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_19 AS (
  SELECT g, stretch, ls, rs FROM (
    SELECT g, stretch,
      collect_list(if(i.s, struct(i.l AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, l AS p), NULL)) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(if(i.s, NULL, struct(i.r AS i, o, if(array_contains(o, -1L), slice(o, CAST(size(o) - array_position(reverse(o), -1L) + 2 AS INT), size(o)), o) AS q, at, x, sf, xf, r AS p))) OVER (PARTITION BY g, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM living_18 DISTRIBUTE BY g)
  ) WHERE n = 1
),
-- the versions of both sides that may meet, in order
batch_20 AS (
  SELECT g, flatten(ls) AS ls, flatten(rs) AS rs FROM (
    SELECT g,
      collect_list(ls) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ls,
      collect_list(rs) OVER (PARTITION BY g ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rs,
      row_number() OVER (PARTITION BY g ORDER BY stretch) AS n FROM stretches_19
  ) WHERE n = 1
),
-- the versions as they were before this batch
before_21 AS (
  SELECT *, transform(filter(ls, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS lb, transform(filter(rs, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,
      if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p)) AS rb,
    array_max(flatten(transform(ls, e -> array(e.o, e.x)) || transform(rs, e -> array(e.o, e.x)))) AS m
  FROM batch_20
),
-- the times in which a side has no row to meet
gaps_22 AS (
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
  FROM before_21
),
-- what counts now, and what counted before this batch
counting_23 AS (
  SELECT m, now, inline(if(now,
    concat(
      flatten(transform(ls, l -> transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS now FROM gaps_22)
),
-- what of it has changed
changed_24 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY now DESC) AS n,
      max(if(now, s, NULL)) OVER (PARTITION BY i, o) AS s1, max(if(now, NULL, s)) OVER (PARTITION BY i, o) AS s0
    FROM counting_23
  ) WHERE n = 1 AND NOT s1 <=> s0
),
-- one row for each
join_25 AS (
  SELECT i AS _id, struct(m, i, o, s1 AS s) AS _ord, at AS _ts, TRUE AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changed_24
),
-- the projections; a row whose whole value is null is deleted
project_26 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`m`, v1.`id`), 'x1', named_struct('n', v0.`n`, 'm', v0.`m`, 'z', v1.`z`, 'y', v1.`y`)), NULL) AS v
    FROM join_25)
),
-- each with its new key
moved_27 AS (
  SELECT k, _ord, _ts, v FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS k, v0.`x1` AS v FROM project_26
  ) WHERE _live AND k IS NOT NULL
),
-- all that was ever mapped to a key
mapped_28 AS (
  SELECT k, collect_list(struct(bt, _ord AS e, _ts AS at, v)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM moved_27) GROUP BY k
),
-- one row for each change of it
each_29 AS (
  SELECT k, inline(es) FROM mapped_28
),
-- how each stands now
latest_30 AS (
  SELECT * FROM (
    SELECT *, max(e.m) OVER (PARTITION BY k) AS m,
      row_number() OVER (PARTITION BY k, e.i, e.o ORDER BY bt DESC, e.m DESC) AS n FROM each_29
  ) WHERE n = 1
),
-- of those that count the one with the highest rank
newest_31 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k ORDER BY e.s IS NULL, e.o DESC) AS w
    FROM latest_30
  ) WHERE w = 1
),
-- a key whose newest row has left is deleted
rekeyed_32 AS (
  SELECT m AS _ord, at AS _ts, k AS k0, if(e.s, v, NULL) AS v0 FROM newest_31
),
-- a null value deletes
rows_33 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_32
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_33;
-- written to out in update mode
SELECT line FROM written_34;

-- # elements of elements of a table
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
-- keeps the versions of each row in its two newest batches, by STRUCT<row: STRING, index: BIGINT>
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of nested as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of nested, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xss`: ARRAY<ARRAY<INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'nested'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'nested\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_22 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xss`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- each row with its elements
held_13 AS (
  SELECT _id AS i, _ord AS o, _ts AS at, k0, v0, k1, v1,
    if(_live, coalesce(v1, array()), array()) AS es
  FROM lateral_12
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_14 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, k1, v1, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM held_13 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_15 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_14
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_16 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_15 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_17 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_16
),
-- the elements that each version brings, and takes away when it ends
changes_18 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array_append(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(get(vs, m + 1).o AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_17
),
-- a row for each element
lateral_19 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0, get(vs, m).k1 AS k1, get(vs, m).v1 AS v1,
    CAST(NULL AS INT) AS k2, e AS v2
  FROM changes_18
),
-- the projections; a row whose whole value is null is deleted
project_20 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', v2), NULL) AS v
    FROM lateral_19)
),
-- the rows by what tells them apart
passed_21 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_20
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_21;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_22;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<row: STRUCT<row: STRING, index: BIGINT>, index: BIGINT>
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRUCT<`row`: STRING, `index`: BIGINT>, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`, 'x1', v0.`x1`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w), 'a1', if(sum(if(p.x1 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x1 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 's', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # least different ones
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT, with all its values, of which the lists are made, growing with updates
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`id` AS _group
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
    named_struct('a0', slice(sort_array(collect_set(v0.`n`), TRUE), 1, 2), 'a1', max(v0.`n`), 'a2', slice(array_distinct(transform(sort_array(collect_list(struct(_ord AS o, v0.`name` AS x)) FILTER (WHERE v0.`name` IS NOT NULL)), e -> e.x)), 1, 9)) AS v0
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
      if(_live, named_struct('i', v0.`a0`, 'u', v0.`a1`, 'c', v0.`a2`), NULL) AS v
    FROM rows_8)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to out in update mode
SELECT line FROM written_10;

-- # collected from a rekeyed table
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`name`, 'v', named_struct('id', v0.`id`, 'n', v0.`n`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x0', v0.`n`, 'x2', v0.`n`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT k0 AS _row, now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT k0, get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, w, p.x0 AS x)))), es -> filter(es, (e, i) -> e.w > 0 AND e.x IS NOT NULL AND NOT coalesce(get(es, i + 1)._row <=> e._row, FALSE))), 0), e -> e.x), 1, 3), 'a1', sum(w), 'a2', if(sum(if(p.x2 IS NULL, 0L, w)) = 0, NULL, try_cast(sum(CAST(p.x2 AS BIGINT) * w) AS BIGINT)))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`, 'k', v0.`a1`, 's', v0.`a2`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # collected from joined tables
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`n`, 'x1', v1.`m`), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_23;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<l: STRING, r: STRING>
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`, 'x0', v0.`x1`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT k0 AS _row, now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT k0, get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, w, p.x0 AS x)))), es -> filter(es, (e, i) -> e.w > 0 AND e.x IS NOT NULL AND NOT coalesce(get(es, i + 1)._row <=> e._row, FALSE))), 0), e -> e.x), 1, 5))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # collected from the elements of a table
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of lists as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of lists, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `xs`: ARRAY<INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'lists'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'lists\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its elements
held_6 AS (
  SELECT k0 AS i, _ord AS o, _ts AS at, k0, v0,
    if(_live, coalesce(v0.`xs`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT i, flatten(evs) AS evs FROM (
    SELECT i,
      collect_list(evs) OVER (PARTITION BY i ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT i, max_by(evs, try_element_at(evs, -1).o, 2) AS hs FROM batch_8 GROUP BY i
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT i,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT vs, inline(flatten(transform(vs, (v, m) -> concat(
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(array(get(vs, m + 1).o) AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT o AS _ord, at AS _ts, live AS _live, i AS _id, get(vs, m).k0 AS k0, get(vs, m).v0 AS v0,
    CAST(NULL AS INT) AS k1, e AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_15;

-- query out
-- keeps the two newest versions of each row, by key STRUCT<row: STRING, index: BIGINT>
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: INT, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
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
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`, 'x0', v0.`x1`), NULL) AS p
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_7
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT k0 AS _row, now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT k0, get(vs, 0) AS now, get(vs, 1) AS before FROM versions_9)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, w, p.x0 AS x)))), es -> filter(es, (e, i) -> e.w > 0 AND e.x IS NOT NULL AND NOT coalesce(get(es, i + 1)._row <=> e._row, FALSE))), 0), e -> e.x), 1, 3))) AS v0
  FROM changes_10 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in update mode
SELECT line FROM written_14;

-- # stream with a table of maps
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, tagged as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'tagged'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('n', v0.`n`, 'tags', v1.`tags`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream of maps with a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, tagged as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'tagged' AS _s FROM lines_1 WHERE _topic IN ('tagged', 'a'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(is_t AND j IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT is_t OR j IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT j, stretch, ss, ts FROM (
    SELECT j, stretch,
      collect_list(if(is_t, NULL, struct(o, at, s))) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(if(is_t, struct(o, at, t), NULL)) OVER (PARTITION BY j, stretch ORDER BY o, is_t ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j, stretch ORDER BY o, is_t) AS n
    FROM (SELECT *, o DIV 512 AS stretch FROM met_6 DISTRIBUTE BY j)
  ) WHERE n = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT j, flatten(ss) AS ss, flatten(ts) AS ts FROM (
    SELECT j,
      collect_list(ss) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ss,
      collect_list(ts) OVER (PARTITION BY j ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS ts,
      row_number() OVER (PARTITION BY j ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT j, count(*) AS n,
    max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,
    max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM batch_8) GROUP BY j
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT j, n, if(coalesce(cs.bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), cs.ss, array()) AS ss,
    if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev
  FROM (SELECT *, coalesce(get(ct, 0).bt = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m,
    get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late)) AS js
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
  SELECT j, n, struct(concat(
    transform(js, x -> struct(
      if(x.m.t IS NULL, array(x.e.o), array(x.e.o, x.m.o)) AS o,
      x.e.at AS at, x.e.s AS s, x.m.t AS t)),
    transform(
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
      x -> struct(array(x.late.o, x.e.o) AS o, greatest(x.late.at, x.e.at) AS at,
        x.e.s AS s, x.late.t AS t))) AS out,
    if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,
    prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,
    if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),
      x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT j, max(n) AS n, max_by(cur, n) AS cur,
    max_by(n, n, 2) FILTER (WHERE present) AS pres,
    max_by(struct(n, pend), n, 256) FILTER (WHERE size(pend) > 0) AS pends
  FROM now_12 GROUP BY j
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
  SELECT concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),
    transform(filter(flatten(transform(
        filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),
        p -> cur.appeared.at - p.at <= 8),
      p -> struct(array(cur.appeared.o, p.o) AS o, greatest(cur.appeared.at, p.at) AS at,
        p.s AS s, cur.appeared.t AS t)))) AS out
  FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tags', v0.`tags`, 'n', v1.`n`) AS v0
  FROM join_15
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to out in update mode
SELECT line FROM written_17;

-- # stream of maps with a table of maps on a field
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query out
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of tagged as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1)
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999'))) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k1 AS _i1 FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`id`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 8),
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
        p -> cur.appeared.at - p.at <= 8),
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
    v0.`id` AS k0,
    named_struct('a', v0.`tags`, 'b', v1.`tags`) AS v0
  FROM join_24
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_25;
-- written to out in update mode
SELECT line FROM written_26;

-- # tables of maps
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of tagged as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1)
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`id`, v1.`id`), 'x1', named_struct('a', v0.`tags`, 'b', v1.`tags`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # table of maps rekeyed
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of tagged as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of tagged, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `tags`: MAP<STRING, INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'tagged'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'tagged\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`id`, 'v', named_struct('tags', v0.`tags`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to out in update mode
SELECT line FROM written_15;

-- # sessions
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query out
-- keeps one row per open session of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`name` AS _group
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
-- timed_8: dated_7 with a watermark 86399997 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*), 'a1', max(v0.`n`)) AS v0
  FROM (SELECT *, session_window(_at, '3 milliseconds') AS _window FROM timely_9)
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`, 'm', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to out in append mode
SELECT line FROM written_14;

-- # changes of sessions
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query out
-- keeps one row per open session of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`name` AS _group
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
-- timed_8: dated_7 with a watermark 2 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '3 milliseconds') AS _window FROM timely_9)
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_12)
),
-- each change of the table is a record
stream_14 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_13
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM stream_14;
-- written to out in append mode
SELECT line FROM written_15;

-- # aggregate joined on its key, right
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`name`), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM rows_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(vs, (v, i) -> concat(
    if(i >= size(vs) - new, array(struct(v._ord AS _ord, v._ts AS _ts, v.p AS p, 1L AS w)), array()),
    if(i + 1 < size(vs), array(struct(get(vs, i + 1)._ord AS _ord, get(vs, i + 1)._ts AS _ts, v.p AS p, -1L AS w)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows is deleted
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_11 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- a row that does not satisfy the condition is deleted
filter_14 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a0` < CAST('2' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM rows_13
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM filter_14)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_16;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, if((v1.`m` > 0), v1.`ref`, NULL)) AS j, NOT _s AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rs, a -> a.x IS NULL AND exists(lgaps, z -> z.u IS NULL)), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(rb, a -> a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL)), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v1.`ref`, 'x1', named_struct('n', v0.`n`, 'bk', k1)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # aggregate joined on its key, outer
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`name`), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM rows_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(vs, (v, i) -> concat(
    if(i >= size(vs) - new, array(struct(v._ord AS _ord, v._ts AS _ts, v.p AS p, 1L AS w)), array()),
    if(i + 1 < size(vs), array(struct(get(vs, i + 1)._ord AS _ord, get(vs, i + 1)._ts AS _ts, v.p AS p, -1L AS w)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows is deleted
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_11 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- a row that does not satisfy the condition is deleted
filter_14 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a0` < CAST('2' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM rows_13
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM filter_14)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_16;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, if((v1.`m` > 0), v1.`ref`, NULL)) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> a.x IS NULL AND exists(rgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> a.x IS NULL AND exists(lgaps, z -> z.u IS NULL)), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL)), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(k0, v1.`ref`), 'x1', named_struct('n', v0.`n`, 'bk', k1)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # aggregate joined on a field, left
-- strategy: STREAM aggregation, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT, `name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`name` AS _group
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
    named_struct('a0', max(v0.`n`)) AS v0
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
      if(_live, named_struct('m', v0.`a0`), NULL) AS v
    FROM rows_8)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_10;

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`m`) AS j, _s AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> a.x IS NULL AND exists(rgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('n', v1.`m`, 'uk', k1, 'bk', k0)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # aggregate rekeyed
-- strategy: STREAM aggregation, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`name` AS _group
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
    named_struct('a0', count(*)) AS v0
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_8)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_10;

-- query out
-- keeps the versions of each row in its two newest batches, by old key
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_19 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`n`, 'v', named_struct('k', k0)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT k0, inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- what lives under each new key, and what has left
counting_12 AS (
  SELECT p.k AS k, _ts,
    struct(changed AS m, k0 AS i, _ord AS o, if(ended, NULL, TRUE) AS s) AS _ord, p.v AS v
  FROM ended_11 WHERE p.k IS NOT NULL
),
-- all that was ever mapped to a key
mapped_13 AS (
  SELECT k, collect_list(struct(bt, _ord AS e, _ts AS at, v)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt FROM counting_12) GROUP BY k
),
-- one row for each change of it
each_14 AS (
  SELECT k, inline(es) FROM mapped_13
),
-- how each stands now
latest_15 AS (
  SELECT * FROM (
    SELECT *, max(e.m) OVER (PARTITION BY k) AS m,
      row_number() OVER (PARTITION BY k, e.i, e.o ORDER BY bt DESC, e.m DESC) AS n FROM each_14
  ) WHERE n = 1
),
-- of those that count the one with the highest rank
newest_16 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k ORDER BY e.s IS NULL, e.o DESC) AS w
    FROM latest_15
  ) WHERE w = 1
),
-- a key whose newest row has left is deleted
rekeyed_17 AS (
  SELECT m AS _ord, at AS _ts, k AS k0, if(e.s, v, NULL) AS v0 FROM newest_16
),
-- a null value deletes
rows_18 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_17
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_18;
-- written to out in update mode
SELECT line FROM written_19;

-- # aggregate joined and joined again
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999')) AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`name`), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM rows_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(vs, (v, i) -> concat(
    if(i >= size(vs) - new, array(struct(v._ord AS _ord, v._ts AS _ts, v.p AS p, 1L AS w)), array()),
    if(i + 1 < size(vs), array(struct(get(vs, i + 1)._ord AS _ord, get(vs, i + 1)._ts AS _ts, v.p AS p, -1L AS w)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows is deleted
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_11 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- a row that does not satisfy the condition is deleted
filter_14 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a0` < CAST('2' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM rows_13
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM filter_14)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_16;

-- query out.stage2
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'b' AS _s FROM lines_1 WHERE _topic IN ('b', '_lsqlc.out.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if((v0.`m` > 0), v0.`ref`, NULL), k1) AS j, _s AS preserved
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
-- the times in which a side has no row to meet
gaps_19 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, array_min(transform(rs, q -> struct(q.o AS o, q.sf AS sf))) AS u)),
      transform(filter(array_distinct(transform(filter(rs, q -> q.x IS NOT NULL), q -> q.x)),
        m -> NOT exists(rs, q -> q.o <= m AND (q.x IS NULL OR q.x > m))),
        m -> struct(m AS m, array_min(transform(filter(rs, q -> q.o > m), q -> struct(q.o AS o, q.sf AS sf))) AS u))),
      z -> z.m IS NULL OR z.u IS NULL OR get(z.m, 0) < get(z.u.o, 0)) AS rgaps
  FROM batch_18
),
-- the pairs that come and go, and the rows that stand alone
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(array_contains(l.o || r.o, -1L), greatest(l.o, r.o) || array(-1L) || if(if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) > if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o) || if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o), if(array_contains(r.o, -1L), slice(r.o, CAST(size(r.o) - array_position(reverse(r.o), -1L) + 2 AS INT), size(r.o)), r.o) || if(array_contains(l.o, -1L), slice(l.o, CAST(size(l.o) - array_position(reverse(l.o), -1L) + 2 AS INT), size(l.o)), l.o)), if(l.o > r.o, l.o || r.o, r.o || l.o)) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL)))))),
    flatten(transform(ls, a -> flatten(transform(
      filter(rgaps, z -> (z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)),
      z -> array(if(a.sf OR coalesce(z.m > a.o, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, if(z.m > a.o, z.m || array(-1L) || if(array_contains(a.o, -1L), slice(a.o, CAST(size(a.o) - array_position(reverse(a.o), -1L) + 2 AS INT), size(a.o)), a.o), a.o) AS o, TRUE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL),
        if(coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE), struct(struct(a.i AS l, get(rs, -1).i AS r) AS i, least(a.x, z.u.o) AS o, FALSE AS live,
        a.at AS at, a.p AS l, get(rs, -1).p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM gaps_19
),
-- a row that one record both ends and begins goes on
settled_21 AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i, o ORDER BY live DESC) AS n FROM changes_20) WHERE n = 1
),
-- one row for each
join_22 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM settled_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`ref` AS k,
      if(_live, named_struct('id', v0.`id`, 'n', v1.`n`, 'bk', k0), NULL) AS v
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

-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.2, c as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`id`: INT, `n`: BIGINT, `bk`: STRING>>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `z`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.2' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.2', 'c'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'c\': expected a time from 1970 to 9999')), _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- the projections of the table
project_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, if(_s AND v0 IS NOT NULL, v0.`v`, NULL) IS NOT NULL, TRUE) AS _live, k1, v1,
    if(_s, v0.`k`, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, v0.`v`, NULL) AS v0
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM project_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, _ord AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, _s AS preserved
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
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> a.x IS NULL AND exists(rgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL)), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)))))
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
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('n', v0.`n`, 'z', v1.`z`, 'bk', v0.`bk`)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # tables by key, outer, rekeyed
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, k1) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`n`, v1.`m`, 7), 'x1', named_struct('ak', k0, 'bk', k1)), NULL) AS v
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to out in update mode
SELECT line FROM written_32;

-- # tables on fields, filtered and rekeyed
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT, `name`: STRING>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`m`: INT, `ref`: STRING>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`name`, v1.`ref`) AS j, _s AS preserved
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
-- a row that does not satisfy the condition is deleted
filter_24 AS (
  SELECT _id, _ord, _ts, _live AND coalesce((((v0.`n` IS NULL) OR (v1.`m` IS NULL)) OR (v0.`n` <> v1.`m`)), FALSE) AS _live,
    k0, v0, k1, v1
  FROM join_23
),
-- the projections; a row whose whole value is null is deleted
project_25 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, v0.`name` AS k,
      if(_live, named_struct('id', v0.`id`, 'n', v0.`n`, 'm', v1.`m`), NULL) AS v
    FROM filter_24)
),
-- each with its new key
moved_26 AS (
  SELECT k, _ord, _ts, v FROM (
    SELECT _ord, _ts, _live, v0.`id` AS k, named_struct('n', v0.`n`, 'm', v0.`m`) AS v FROM project_25
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
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to out in update mode
SELECT line FROM written_33;

-- # tables on fields, rekeyed, counted
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`n`, v1.`m`), 'x1', named_struct('id', v0.`id`)), NULL) AS v
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
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_32;

-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the lines of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`), NULL) AS p
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS n FROM rows_6
  ) WHERE n = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, p), _ord, 2) AS vs FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT now._ord AS _ord, now._ts AS _ts, inline(array(
    struct(now.p AS p, 1L AS w), struct(before.p AS p, -1L AS w)))
  FROM (SELECT get(vs, 0) AS now, get(vs, 1) AS before FROM versions_8)
  WHERE NOT (now.p <=> before.p)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, p.g AS k0,
    if(sum(w) = 0, NULL, named_struct('a0', sum(w))) AS v0
  FROM changes_9 WHERE p.g IS NOT NULL GROUP BY p.g
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('c', v0.`a0`), NULL) AS v
    FROM rows_11)
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to out in update mode
SELECT line FROM written_13;

-- # changes of outer tables, rekeyed
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the lines of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `n`: INT>', map('mode', 'FAILFAST')) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`id`: INT, `m`: INT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, if(_r1.timestamp BETWEEN 0L AND 253402300799999L, _r1.timestamp, raise_error('timestamp of a record of \'b\': expected a time from 1970 to 9999')), if(_r0.timestamp BETWEEN 0L AND 253402300799999L, _r0.timestamp, raise_error('timestamp of a record of \'a\': expected a time from 1970 to 9999'))) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
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
CREATE TEMPORARY VIEW written_34 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, TRUE AS preserved
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
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(ls, a -> exists(rgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rs, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rs, -1).p AS r)),
      transform(filter(rs, a -> exists(lgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(ls, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lgaps, z -> z.u IS NULL) AS s, a.at AS at, get(ls, -1).p AS l, a.p AS r))),
    concat(
      flatten(transform(lb, l -> transform(
      filter(rb, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x) AND ((l.x IS NULL AND r.x IS NULL) OR (NOT exists(rbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (l.x IS NULL OR z.m < l.x)) AND NOT exists(lbgaps, z -> z.m IS NOT NULL AND z.m >= least(l.x, r.x) AND (r.x IS NULL OR z.m < r.x))))),
      r -> struct(struct(l.i AS l, r.i AS r) AS i, if(l.q > r.q, l.q || r.q, r.q || l.q) AS o, l.x IS NULL AND r.x IS NULL AS s,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r)))),
      transform(filter(lb, a -> exists(rbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(a.i AS l, get(rb, -1).i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(rbgaps, z -> z.u IS NULL) AS s, a.at AS at, a.p AS l, get(rb, -1).p AS r)),
      transform(filter(rb, a -> exists(lbgaps, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))), a -> struct(struct(get(lb, -1).i AS l, a.i AS r) AS i,
        a.q AS o, a.x IS NULL AND exists(lbgaps, z -> z.u IS NULL) AS s, a.at AS at, get(lb, -1).p AS l, a.p AS r)))))
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', coalesce(v0.`n`, v1.`m`), 'x1', named_struct('id', v0.`id`)), NULL) AS v
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
),
-- each change of the table is a record
stream_32 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM rows_31
),
-- the projections
project_33 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`)) AS v0
  FROM stream_32
)
-- the lines of out
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_33;
-- written to out in update mode
SELECT line FROM written_34;
