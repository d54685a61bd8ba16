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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sales\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sales\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`PAID`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'offers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'offers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
    if(_s, named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'left', '')), named_struct('join_value', k1, 'null_of', if(k1 IS NULL, 'right', ''))) AS join_value
  FROM counted_6
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
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
  SELECT join_value, _window, collect_list(struct(
    batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,
    if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
    if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time,
      window(_at, '240000 milliseconds', '120000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 120000 - if(event.event_time % 120000 >= 60000, 0, 120000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 60000 AND event.event_time + 60000,
        event.event_time BETWEEN other.event_time - 60000 AND other.event_time + 60000)) AS partners)) AS with_partners
  FROM fresh_12
),
-- one record for each pair, and for each record that has none yet
join_14 AS (
  SELECT pair.ordinal AS _ord, pair.event_time AS _ts,
    pair.left_row.row_key AS k0, pair.left_row.row_value AS v0,
    pair.right_row.row_key AS k1, pair.right_row.row_value AS v1
  FROM (SELECT explode(flatten(transform(with_partners, m -> if(size(m.partners) = 0,
      if(m.event.is_left, array(struct(m.event.ordinal AS ordinal, m.event.event_time AS event_time,
        m.event.left_row AS left_row, m.event.right_row AS right_row)), array()),
      transform(m.partners, partner -> struct(
        if(m.event.ordinal > partner.ordinal, m.event.ordinal || partner.ordinal, partner.ordinal || m.event.ordinal) AS ordinal,
        greatest(m.event.event_time, partner.event_time) AS event_time,
        coalesce(m.event.left_row, partner.left_row) AS left_row,
        coalesce(m.event.right_row, partner.right_row) AS right_row)))))) AS pair
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
