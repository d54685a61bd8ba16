-- # table_lateral
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query table_lateral.stage1
-- keeps the versions of each row in its two newest batches, by STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
      if(_live, named_struct('x0', v0.`item`), NULL) AS v
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.table_lateral.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.table_lateral.1 in update mode
SELECT line FROM written_15;

-- query table_lateral
-- keeps the two newest versions of each row, by key STRUCT<row: STRING, index: BIGINT>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.table_lateral.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.table_lateral.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRING, `index`: BIGINT>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: STRING>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.table_lateral.1'
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
-- the lines of table_lateral
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to table_lateral in update mode
SELECT line FROM written_14;
