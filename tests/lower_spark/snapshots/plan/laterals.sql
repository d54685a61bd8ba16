-- # LATERAL over no array
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tag', v1) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # an alias that hides a field
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # an alias that hides the source
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # a TABLE with LATERAL and no key of its own
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row in its two newest batches, by INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
    if(_live, coalesce(v0.`tags`, array()), array()) AS es
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
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_15;

-- query result
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: INT, `index`: BIGINT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRING, `x1`: STRUCT<`id`: INT>>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
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
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # an alias that is not there yet
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tag', v1) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # a TABLE with LATERAL in a WITH, written as it is
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result.stage1
-- keeps the versions of each row in its two newest batches, by INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
    if(_live, coalesce(v0.`tags`, array()), array()) AS es
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
      if(_live, named_struct('tag', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_15;

-- query result
-- keeps the two newest versions of each row, by key STRUCT<row: INT, index: BIGINT>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: INT, `index`: BIGINT>, value STRUCT<`k`: INT, `v`: STRUCT<`tag`: STRING>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
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
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`tag`), NULL) AS p
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the changes of a TABLE with LATERAL
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('id', v0.`id`, 'tag', v1) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # an alias of LATERAL that hides a facet
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # one alias for two LATERALs
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- a record for each element
lateral_7 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0, k1, v1,
    CAST(NULL AS INT) AS k2, u.e AS v2
  FROM lateral_6 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tag', v1) AS v0
  FROM lateral_7
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to result in append mode
SELECT line FROM written_9;

-- # a LATERAL before the one whose alias it reads
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- a record for each element
lateral_7 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0, k1, v1,
    CAST(NULL AS INT) AS k2, u.e AS v2
  FROM lateral_6 LATERAL VIEW posexplode(array(v1)) u AS i, e
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tag', v1) AS v0
  FROM lateral_7
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to result in append mode
SELECT line FROM written_9;

-- # LATERAL without an alias
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the records that satisfy the condition
filter_7 AS (
  SELECT * FROM lateral_6
  WHERE (v0.`id` > 1)
),
-- the projections
project_8 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM filter_7
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_8;
-- written to result in append mode
SELECT line FROM written_9;

-- # LATERAL over an array without elements
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(array(1)) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;

-- # a LATERAL as the source of a join
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result.stage1
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM lateral_6
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to _lsqlc.result.1 in append mode
SELECT line FROM written_8;

-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1, customers as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.result.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.result.1', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
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
-- each record with the table event before it
settled_11 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < array(e.o[0])), -1), prev) AS m)) AS js
  FROM current_10
),
-- the records that met a row
matched_12 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(concat(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
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
    named_struct('item', v0.`item`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # LATERAL over a join of two tables
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result.stage1
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`tags`: ARRAY<STRING>>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`tags`: ARRAY<STRING>>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
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
      if(_live, named_struct('tags', v0.`tags`), NULL) AS v
    FROM join_16)
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_18;

-- query result.stage2
-- keeps the versions of each row in its two newest batches, by INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
    if(_live, coalesce(v0.`tags`, array()), array()) AS es
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT i, stretch, evs FROM (
    SELECT i, stretch,
      collect_list(struct(o, at, k0, v0, es)) OVER (PARTITION BY i, stretch ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY i, stretch ORDER BY o) AS n
    FROM (SELECT *, o[0] DIV 512 AS stretch FROM held_6 DISTRIBUTE BY i)
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
    if(m >= size(vs) - new, transform(v.es, (e, n) -> struct(array_append(v.o, CAST(n AS BIGINT)) AS o, v.at AS at, TRUE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array()),
    if(m + 1 < size(vs), transform(v.es, (e, n) -> struct(get(vs, m + 1).o AS o, v.at AS at, FALSE AS live, struct(i AS row, CAST(n AS BIGINT) AS index) AS i, m, e)), array())))))
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
      if(_live, named_struct('x0', v1), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.result.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.result.2 in update mode
SELECT line FROM written_15;

-- query result
-- keeps the two newest versions of each row, by key STRUCT<row: INT, index: BIGINT>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: INT, `index`: BIGINT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRING>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.2'
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
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('g', v0.`x0`), NULL) AS p
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a field of an element that is no struct
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
  FROM present_5 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('name', v1) AS v0
  FROM lateral_6
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to result in append mode
SELECT line FROM written_8;
