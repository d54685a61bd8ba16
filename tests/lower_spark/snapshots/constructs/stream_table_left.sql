-- # stream_table_left
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query stream_table_left
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of items, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'items\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'items'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the projections of the table
project_4 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, if(NOT _s AND v1 IS NOT NULL, named_struct('label', v1.`label`), NULL) IS NOT NULL, TRUE) AS _live, k0, v0,
    if(NOT _s, k1, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('label', v1.`label`), NULL) AS v1
  FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty
FROM project_4;
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 604800000),
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
        p -> cur.appeared.at - p.at <= 604800000),
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
    named_struct('item', v0.`item`, 'label', v1.`label`) AS v0
  FROM join_16
)
-- the lines of stream_table_left
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to stream_table_left in update mode
SELECT line FROM written_18;
