-- # groups_below_new_keys
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query groups_below_new_keys.stage1
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`item`), NULL) AS p
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
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_13)
)
-- the lines of _lsqlc.groups_below_new_keys.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to _lsqlc.groups_below_new_keys.1 in update mode
SELECT line FROM written_15;

-- query groups_below_new_keys
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.groups_below_new_keys.1, items as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'items\': expected a time from 1970 to 9999'))))), 0) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'items' AS _s FROM lines_1 WHERE _topic IN ('items', '_lsqlc.groups_below_new_keys.1'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`label`, k1) AS j, _s AS preserved
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
      if(_live, named_struct('x0', v1.`n`, 'x1', named_struct('label', v0.`label`)), NULL) AS v
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
-- the lines of groups_below_new_keys
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to groups_below_new_keys in update mode
SELECT line FROM written_32;
