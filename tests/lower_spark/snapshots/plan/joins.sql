-- # two streams without WITHIN
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'customers'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
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
-- lines_8: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'payments'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('country', v0.`country`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # a stream RIGHT JOIN a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 604800000),
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
        p -> cur.appeared.at - p.at <= 604800000),
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
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # a stream OUTER JOIN a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('item', v0.`item`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # a table LEFT JOIN a stream
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('customers', 'orders'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 604800000),
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
        p -> cur.appeared.at - p.at <= 604800000),
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
    named_struct('item', v1.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # WITHIN with a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('item', v0.`item`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # WITHIN twice, with different times
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`customer_id` AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`id` AS j
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v0.`customer_id` AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # ON with both sources on one side of an equality
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, try_subtract(v0.`customer_id`, 0), if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM identified_4;
-- counted_6: events_5, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, j IS NOT NULL)
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
-- each record with the table event before it
settled_20 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM dated_19
),
-- the records that met a row
matched_21 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_20
),
-- one record for each
join_22 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_21)
),
-- the projections
project_23 AS (
  SELECT _ord, _ts,
    try_subtract(v0.`customer_id`, 0) AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_22
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to result in update mode
SELECT line FROM written_24;

-- # ON with a call over both sources
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- a row of the table that does not satisfy the condition is deleted
filter_4 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((concat(v1.`name`, 'x') = 'John'), FALSE), TRUE) AS _live,
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
    named_struct('item', v0.`item`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # ON with an OR of both sources
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- a row of the table that does not satisfy the condition is deleted
filter_4 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((k1 = 1), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`customer_id`, k1) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
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
    v0.`customer_id` AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # ON that compares by less than
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, v0.`customer_id`, if(_live, v1.`id`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM identified_4;
-- counted_6: events_5, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, j IS NOT NULL)
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
-- each record with the table event before it
settled_20 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM dated_19
),
-- the records that met a row
matched_21 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_20
),
-- one record for each
join_22 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_21)
),
-- the projections
project_23 AS (
  SELECT _ord, _ts,
    v0.`customer_id` AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_22
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to result in update mode
SELECT line FROM written_24;

-- # ON that is no condition
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND v0.`paid`)
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
    named_struct('item', v0.`item`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # types that cannot be equal
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the versions of each row of the table in its two newest batches, and the stream's records of two
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, v0.`item`, if(_live, v1.`name`, NULL)) AS j, _ord AS o, NOT _s AS is_t, _ts AS at,
  if(_s, named_struct('k', k0, 'v', v0), NULL) AS s,
  if(_live, named_struct('k', k1, 'v', v1), NULL) AS t,
  _s AND v0 IS NULL AS _empty, _i1 AS _id
FROM identified_4;
-- counted_6: events_5, counting count_if(is_t AND (_id IS NULL OR (t IS NOT NULL AND j IS NULL))) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND if(is_t, _id IS NOT NULL, j IS NOT NULL)
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
-- each record with the table event before it
settled_20 AS (
  SELECT j, n, prev, ts, transform(ss, e -> struct(e AS e,
    coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m)) AS js
  FROM dated_19
),
-- the records that met a row
matched_21 AS (
  SELECT transform(filter(js, x -> x.m.t IS NOT NULL),
    x -> struct(array(x.e.o, x.m.o) AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out
  FROM settled_20
),
-- one record for each
join_22 AS (
  SELECT o.o AS _ord, o.at AS _ts, o.s.k AS k0, o.s.v AS v0, o.t.k AS k1, o.t.v AS v1
  FROM (SELECT explode(out) AS o FROM matched_21)
),
-- the projections
project_23 AS (
  SELECT _ord, _ts,
    v0.`item` AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_22
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to result in update mode
SELECT line FROM written_24;

-- # keys in several formats
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # a source without a key
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of visits as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of visits, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, value STRUCT<`page`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'visits\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'visits'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, CAST(NULL AS INT) AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`page` AS j
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of visits as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of visits, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, value STRUCT<`page`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'visits\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'visits'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, CAST(NULL AS INT) AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`page` AS j
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    v0.`page` AS k0,
    named_struct('page', v0.`page`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # a self-join without aliases
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'orders'
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # an unqualified key
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('k', k0) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # an unqualified key in WHERE
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- a row of the table that does not satisfy the condition is deleted
filter_4 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((k1 = 1), FALSE), TRUE) AS _live,
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
    named_struct('item', v0.`item`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # a name of both sides
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('id', v1.`id`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # the clock in ON
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `big`: BIGINT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (CAST('1' AS BIGINT) > v0.`big`))
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
    named_struct('item', v0.`item`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # the changes of a computed table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result.stage1
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`id`, 'x0', v0.`amount`), NULL) AS p
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
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('s', v0.`a0`), NULL) AS v
    FROM rows_11)
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('s', v0.`s`), NULL) AS v
    FROM project_12)
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_14;

-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1, payments as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`s`: BIGINT>', map('mode', 'FAILFAST')) AS _r1)))
  FROM (SELECT *, _topic = 'payments' AS _s FROM lines_1 WHERE _topic IN ('payments', '_lsqlc.result.1'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('s', v1.`s`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # a join as the source of LATERAL
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`tags`: ARRAY<STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
CREATE TEMPORARY VIEW written_17 AS
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
    named_struct('tags', v0.`tags`) AS v0
  FROM join_13
),
-- a record for each element
lateral_15 AS (
  SELECT array_append(_ord, CAST(u.i AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.e AS v1
  FROM project_14 LATERAL VIEW posexplode(v0.`tags`) u AS i, e
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('tag', v1) AS v0
  FROM lateral_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # INNER OUTER JOIN
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a SEMI JOIN
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # an ANTI JOIN
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a table INNER JOIN a stream
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
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
    named_struct('item', v0.`item`) AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # a table OUTER JOIN a stream
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('customers', 'orders'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
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
      filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= 604800000),
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
        p -> cur.appeared.at - p.at <= 604800000),
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
    named_struct('item', v1.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # WITHIN between two tables
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # two streams of WITH statements without WITHIN, whatever follows SELECT
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`customer_id`, v1.`id`) AS j, TRUE AS preserved
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
      if(_live, named_struct('x0', coalesce(v0.`customer_id`, v1.`id`), 'x1', named_struct('item', v0.`item`)), NULL) AS v
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
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_31;
-- written to result in update mode
SELECT line FROM written_32;

-- # WITHIN without a unit
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 86405000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86405000 ms behind _at
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
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86405000 ms behind _at
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
    AND r._at BETWEEN l._at - INTERVAL 5000 MILLISECONDS AND l._at + INTERVAL 5000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # WITHIN three times
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
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
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # ON twice
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
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
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
),
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, coalesce((v0.`amount` > 1), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM filter_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`customer_id`, v1.`id`) AS j, FALSE AS preserved
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
-- the pairs that come and go
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_19
),
-- one row for each
join_21 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_20
),
-- the projections; a row whose whole value is null is deleted
project_22 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`customer_id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_21)
),
-- the rows by what tells them apart
passed_23 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_22
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_23;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_24;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # ON that compares by <>
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`customer_id`, v1.`id`) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', v0.`customer_id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # ON with BETWEEN over both sources
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, coalesce(((v0.`amount` >= 1) AND (v0.`amount` <= v0.`id`)), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM filter_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`customer_id`, v1.`id`) AS j, FALSE AS preserved
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
-- the pairs that come and go
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_19
),
-- one row for each
join_21 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_20
),
-- the projections; a row whose whole value is null is deleted
project_22 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`customer_id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_21)
),
-- the rows by what tells them apart
passed_23 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_22
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_23;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_24;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # ON with IN over both sources
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`customer_id` IN (v0.`id`)), FALSE) AS _live,
    k0, v0
  FROM changes_5
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_14 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_16 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # ON with NOT over both sources
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((NOT (v0.`customer_id` = v0.`id`)), FALSE) AS _live,
    k0, v0
  FROM changes_5
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_14 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_16 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # ON with a CASE over both sources
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce(CASE WHEN v0.`paid` THEN (v0.`id` = 1) ELSE FALSE END, FALSE) AS _live,
    k0, v0
  FROM changes_5
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `item`: STRING, `paid`: BOOLEAN>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`id`: INT, `item`: STRING, `paid`: BOOLEAN>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_14 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_16 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # ON with both sources on each side
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, try_add(v0.`amount`, v0.`id`), try_add(v1.`id`, v1.`id`)) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', try_add(v0.`amount`, v0.`id`), 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an OR of equalities in ON
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if(v0.`id` IS NOT NULL AND v0.`customer_id` IS NOT NULL, named_struct('j0', v0.`id`, 'j1', v0.`customer_id`), NULL), if(v1.`id` IS NOT NULL AND v1.`id` IS NOT NULL, named_struct('j0', v1.`id`, 'j1', v1.`id`), NULL)) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`), 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRUCT<`id`: INT, `customer_id`: INT>, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an OR of conditions on both sources beside an equality
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, coalesce(((v0.`amount` > 1) OR (v0.`id` > 1)), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM filter_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
-- the pairs that come and go
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_19
),
-- one row for each
join_21 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_20
),
-- the projections; a row whose whole value is null is deleted
project_22 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_21)
),
-- the rows by what tells them apart
passed_23 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_22
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_23;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_24;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an AND in parentheses below an OR
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _i0, _s, _ord, _ts, _live AND if(_s, coalesce(((v0.`amount` > 1) OR (v0.`amount` < 0)), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM identified_4
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM filter_5;
-- counted_7: identified_6, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_8 AS (
  SELECT struct(_s AS s, _i0 AS l, _i1 AS r) AS i, array(_ord) AS o,
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`id`, v1.`id`) AS j, FALSE AS preserved
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
-- the pairs that come and go
changes_20 AS (
  SELECT inline(filter(concat(
    flatten(transform(ls, l -> flatten(transform(
      filter(rs, r -> (r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)),
      r -> array(if(l.sf OR r.sf, struct(struct(l.i AS l, r.i AS r) AS i, if(l.o > r.o, l.o || r.o, r.o || l.o) AS o, TRUE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL),
        if(l.x IS NOT NULL OR r.x IS NOT NULL, struct(struct(l.i AS l, r.i AS r) AS i, least(l.x, r.x) AS o, FALSE AS live,
        greatest(l.at, r.at) AS at, l.p AS l, r.p AS r), NULL))))))), c -> c IS NOT NULL))
  FROM batch_19
),
-- one row for each
join_21 AS (
  SELECT i AS _id, o AS _ord, at AS _ts, live AS _live,
    l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1
  FROM changes_20
),
-- the projections; a row whose whole value is null is deleted
project_22 AS (
  SELECT _id, _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_21)
),
-- the rows by what tells them apart
passed_23 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_22
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_23;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_24;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an unqualified key in ON
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, k0, v1.`id`) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', k0, 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an unqualified field of both sources in ON
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`amount` = 1), FALSE) AS _live,
    k0, v0
  FROM changes_5
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING, `amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING, `amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_14 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_16 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # an aggregate in ON
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`amount` > 1), FALSE) AS _live,
    k0, v0
  FROM changes_5
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING, `amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING, `amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`country`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT j, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(l, _ord) FILTER (WHERE l IS NOT NULL).row AS l,
    max_by(r, _ord) FILTER (WHERE r IS NOT NULL).row AS r
  FROM both_14 WHERE j IS NOT NULL GROUP BY j
),
-- a row that the condition keeps from matching stands alone
met_16 AS (
  SELECT j, _ord, _ts, l AS l,
    r AS r
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(l.at, r.at), _ts) AS _ts, l IS NOT NULL AND r IS NOT NULL AS _live,
    if(l IS NOT NULL AND r IS NOT NULL, l.k, j) AS k0, l.v AS v0, if(l IS NOT NULL AND r IS NOT NULL, r.k, j) AS k1, r.v AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, k AS k0, v AS v0, v IS NOT NULL AS _live FROM (
    SELECT *, k0 AS k,
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # keys in several formats and no ON
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`order_id`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'payments'
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`order_id`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # three sources
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result.stage1
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_18;

-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
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
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`order_id`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'payments\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'payments'
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`order_id`: INT>, at: BIGINT, matches: BOOLEAN>>) AS r
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # three sources, with ON
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, if(v0.`customer_id` IS NOT NULL AND v0.`id` IS NOT NULL, named_struct('j0', v0.`customer_id`, 'j1', v0.`id`), NULL), if(v1.`id` IS NOT NULL AND v1.`id` IS NOT NULL, named_struct('j0', v1.`id`, 'j1', v1.`id`), NULL)) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', named_struct('customer_id', v0.`customer_id`, 'id', v0.`id`), 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRUCT<`customer_id`: INT, `id`: INT>, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # a subquery as the second source
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a wildcard over names of both sides
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING, `country`: STRING, `address`: STRUCT<`city`: STRING, `zip`: STRING>>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
      if(_live, named_struct('x0', v0.`id`, 'x1', named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`, 'name', v1.`name`, 'country', v1.`country`, 'address', v1.`address`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN, `name`: STRING, `country`: STRING, `address`: STRUCT<`city`: STRING, `zip`: STRING>>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # an alias that hides a facet
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a `;` inside a WITH of a join
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
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
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW left_6 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS j,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`item`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS l,
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
      if(_live, named_struct('item', v0.`item`), NULL) AS v
    FROM join_16)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a join that is grouped, without an aggregate
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, v0.`customer_id`, v1.`id`) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', v1.`name`), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

-- query result
-- keeps the two newest versions of each row, by key STRUCT<l: INT, r: INT>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRING>>', map('mode', 'FAILFAST')))) AS _r0
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
      if(_live, named_struct('name', k0, 'n', v0.`a0`), NULL) AS v
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the unqualified key of a join that is grouped
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result.stage1
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`name`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
FROM changes_5;
-- lines_7: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  CAST(NULL AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`amount`: INT>, at: BIGINT, matches: BOOLEAN>>) AS l,
  CAST(named_struct('row', if(_live, named_struct('k', k0, 'v', v0, 'at', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<k: INT, v: STRUCT<`name`: STRING>, at: BIGINT, matches: BOOLEAN>>) AS r
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
    SELECT *, coalesce(k0, k1) AS k,
      if(_live, named_struct('x0', v1.`name`, 'x1', k0), NULL) AS v
    FROM join_16)
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_18;

-- query result
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`x0`: STRING, `x1`: INT>', map('mode', 'FAILFAST')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('g', v0.`x0`, 'x0', v0.`x1`), NULL) AS p
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
    if(sum(w) = 0, NULL, named_struct('a0', sum(if(p.x0 IS NULL, 0L, w)))) AS v0
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS v
    FROM rows_11)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to result in update mode
SELECT line FROM written_13;

-- # EVENTTIME BY over a join
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `big`: BIGINT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the time of each record
at_4 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(v0.`big` BETWEEN 0L AND 253402300799999L, FALSE), v0.`big`, raise_error('EVENTTIME BY gives no time from 1970 to 9999 for a record'))) AS _ts, k0, v0)))
  FROM records_3
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM at_4;
-- timed_6: dated_5 with a watermark 90000000 ms behind _at
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
-- lines_9: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'customers'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_11;
-- timed_13: dated_12 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW right_15 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS j
FROM timely_14 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the pairs within the window
join_16 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_15 r
    ON l.j = r.j
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in append mode
SELECT line FROM written_18;

-- # types that meet in comparisons, and not as keys
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `price`: DOUBLE>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, try_cast(v0.`price` as INT), v1.`id`) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', try_cast(v0.`price` as INT), 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # a decimal that meets an integer
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: BIGINT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `price`: DOUBLE>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
    _ts AS at, _live, k0, v0, k1, v1, if(_s, try_cast(v0.`price` as BIGINT), try_cast(v1.`id` as BIGINT)) AS j, FALSE AS preserved
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
      if(_live, named_struct('x0', try_cast(v0.`price` as BIGINT), 'x1', named_struct('item', v0.`item`)), NULL) AS v
    FROM join_20)
),
-- the rows by what tells them apart
passed_22 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_21
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_22;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_23;

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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: BIGINT, `x1`: STRUCT<`item`: STRING>>>', map('mode', 'FAILFAST')))) AS _r0
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

-- # EVENTTIME BY before a join
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
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
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;

-- # a comma behind a join
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query result
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
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
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 90000000 ms behind _at
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
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in append mode
SELECT line FROM written_17;
