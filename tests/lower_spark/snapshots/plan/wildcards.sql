-- # a wildcard with an alias
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM records_3;
-- written to result in append mode
SELECT line FROM written_4;

-- # a wildcard of an unknown source
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a wildcard that finds a name taken
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`, 'other', v0.`amount`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a wildcard over a primitive, beside others
-- query result
-- keeps no state
-- lines_1: the lines of levels as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of levels, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value INT', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'levels\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'levels'
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
    if(v0 IS NULL, NULL, named_struct('v', v0, 'k', k0)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a wildcard over a primitive key
-- query result
-- keeps no state
-- lines_1: the lines of pairs as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of pairs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT, `b`: STRING>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'pairs\': expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'pairs'
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
    if(v0 IS NULL, NULL, named_struct('a', k0.`a`, 'b', k0.`b`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # names of both sides
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
    named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`, 'name', v1.`name`) AS v0
  FROM join_22
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to result in update mode
SELECT line FROM written_24;

-- # two wildcards with one name
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'customers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
    named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`, 'name', v1.`name`) AS v0
  FROM join_22
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to result in update mode
SELECT line FROM written_24;

-- # the alias of a source stands for it
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `customer_id`: INT, `item`: STRING, `amount`: INT, `big`: BIGINT, `price`: DOUBLE, `tags`: ARRAY<STRING>, `paid`: BOOLEAN>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
    if(v0 IS NULL, NULL, named_struct('id', v0.`id`, 'customer_id', v0.`customer_id`, 'item', v0.`item`, 'amount', v0.`amount`, 'big', v0.`big`, 'price', v0.`price`, 'tags', v0.`tags`, 'paid', v0.`paid`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;
