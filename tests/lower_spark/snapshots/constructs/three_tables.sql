-- # three_tables
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query three_tables.stage1
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING, `weight`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'items\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_25 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`item`, v1.`label`) AS j, _s AS preserved
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
    SELECT *, v0.`item` AS k,
      if(_live, named_struct('item', v0.`item`, 'label', v1.`label`, 'weight', v1.`weight`), NULL) AS v
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.three_tables.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.three_tables.1 in update mode
SELECT line FROM written_25;

-- query three_tables
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.three_tables.1, payments as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: STRING, `r`: STRING>, value STRUCT<`k`: STRING, `v`: STRUCT<`item`: STRING, `label`: STRING, `weight`: INT>>', map('mode', 'FAILFAST')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `paid`: DOUBLE>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.three_tables.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.three_tables.1', 'payments'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`label`, v1.`item`) AS j, _s AS preserved
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
      if(_live, named_struct('x0', v0.`label`, 'x1', named_struct('item', v0.`item`, 'weight', v0.`weight`, 'paid', v1.`paid`)), NULL) AS v
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
-- the lines of three_tables
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to three_tables in update mode
SELECT line FROM written_33;
