-- # join_grouped
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query join_grouped.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of items, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `note`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING, `weight`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'items\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'items'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`item`, v1.`label`) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', v0.`note`, 'x1', v1.`weight`), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.join_grouped.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.join_grouped.1 in update mode
SELECT line FROM written_23;

-- query join_grouped
-- keeps the two newest versions of each row, by key STRUCT<l: STRING, r: STRING>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.join_grouped.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.join_grouped.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`x0`: STRING, `x1`: INT>>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.join_grouped.1'
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
      if(_live, named_struct('n', v0.`a0`, 'weight', v0.`a1`), NULL) AS v
    FROM rows_12)
)
-- the lines of join_grouped
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to join_grouped in update mode
SELECT line FROM written_14;
