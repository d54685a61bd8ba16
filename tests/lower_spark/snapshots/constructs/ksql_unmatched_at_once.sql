-- # ksql_unmatched_at_once
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query ksql_unmatched_at_once
-- keeps the records of both sides of each join value by time, in stretches of 240000 ms that overlap by half, for 86460000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of offers, sales as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'sales\': expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'offers\': expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'sales' AS _s FROM lines_1 WHERE _topic IN ('sales', 'offers'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, FALSE AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR ((k0 IS NOT NULL))
)
-- the records of the stream that satisfy the condition
SELECT * FROM filter_4
WHERE _s OR ((k1 IS NOT NULL));
-- counted_6: filter_5, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- the records of both sides, by what joins them
met_7 AS (
  SELECT array(_ord) AS _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('j', k0, 'null_of', if(k0 IS NULL, 'left', '')), named_struct('j', k1, 'null_of', if(k1 IS NULL, 'right', ''))) AS j
  FROM counted_6
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, j
FROM met_7;
-- timed_9: dated_8 with a watermark 86460000 ms behind _at
CREATE TEMPORARY VIEW written_16 AS
WITH
-- the watermark is behind the newest time
timely_10 AS (
  SELECT * FROM timed_9
),
-- the records of each stretch, with those from before this batch
history_11 AS (
  SELECT j, _window, collect_list(struct(bt, _ord AS o, _ts AS at, _s AS s,
    if(_s, struct(k0 AS k, v0 AS v), NULL) AS l, if(_s, NULL, struct(k1 AS k, v1 AS v)) AS r)) AS es
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS bt, window(_at, '240000 milliseconds', '120000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY j, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(es, e -> e.bt = now AND start = e.at - e.at % 120000 - if(e.at % 120000 >= 60000, 0, 120000)) AS fs
  FROM (SELECT es, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(fs, e -> struct(e,
    filter(es, z -> z.s <> e.s AND (z.bt <> now OR z.o < e.o OR (z.s AND z.o = e.o))
      AND if(e.s, z.at BETWEEN e.at - 60000 AND e.at + 60000, e.at BETWEEN z.at - 60000 AND z.at + 60000)) AS zs)) AS ms
  FROM fresh_12
),
-- one record for each pair, and for each record that has none yet
join_14 AS (
  SELECT p.o AS _ord, p.at AS _ts, p.l.k AS k0, p.l.v AS v0, p.r.k AS k1, p.r.v AS v1
  FROM (SELECT explode(flatten(transform(ms, m -> if(size(m.zs) = 0,
      if(m.e.s, array(struct(m.e.o AS o, m.e.at AS at, m.e.l AS l, m.e.r AS r)), array()),
      transform(m.zs, z -> struct(if(m.e.o > z.o, m.e.o || z.o, z.o || m.e.o) AS o,
        greatest(m.e.at, z.at) AS at, coalesce(m.e.l, z.l) AS l, coalesce(m.e.r, z.r) AS r)))))) AS p
    FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('ITEM', v0.`ITEM`, 'PAID', v1.`PAID`) AS v0
  FROM join_14
)
-- the lines of ksql_unmatched_at_once
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to ksql_unmatched_at_once in update mode
SELECT line FROM written_16;
