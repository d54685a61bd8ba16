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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM project_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_18 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND (NOT of_table OR join_value IS NOT NULL)
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_7 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_9 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_8
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_10 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_9) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_11 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_10)
),
-- each record with the table event before it, and the first row behind it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= event.ordinal AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_11
),
-- what this batch settles, and what it leaves unmatched
now_13 AS (
  SELECT join_value, batch_number, struct(concat(
    transform(records, record -> struct(if(record.met.table_row IS NULL, array(record.event.ordinal), array(record.event.ordinal, record.met.ordinal)) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)),
    transform(
      filter(records, record -> record.met.table_row IS NULL AND record.late IS NOT NULL
        AND record.late.event_time - record.event.event_time <= 604800000),
      record -> struct(array(record.late.ordinal, record.event.ordinal) AS ordinal,
        greatest(record.late.event_time, record.event.event_time) AS event_time,
        record.event.stream_row AS stream_row, record.late.table_row AS table_row))) AS results,
    if(previous.table_row IS NULL, get(filter(table_events, table_event -> table_event.table_row IS NOT NULL), 0), NULL) AS appeared) AS outcome,
    previous.table_row IS NOT NULL OR exists(table_events, table_event -> table_event.table_row IS NOT NULL) AS has_row,
    if(join_value IS NULL, array(),
      transform(filter(records, record -> record.met.table_row IS NULL AND record.late IS NULL),
      record -> struct(record.event.ordinal AS ordinal, record.event.event_time AS event_time,
        record.event.stream_row AS stream_row))) AS unmatched
  FROM settled_12
),
-- with the records that have waited since the table last had a row
waiting_14 AS (
  SELECT join_value, max(batch_number) AS batch_number, max_by(outcome, batch_number) AS outcome,
    max_by(batch_number, batch_number, 2) FILTER (WHERE has_row) AS batches_having_row,
    max_by(struct(batch_number, unmatched), batch_number, 256) FILTER (WHERE size(unmatched) > 0) AS unmatched_batches
  FROM now_13 GROUP BY join_value
),
-- the first row of a key goes to the records that waited for it
matched_15 AS (
  SELECT concat(outcome.results,
    if(outcome.appeared IS NULL OR unmatched_batches IS NULL, array(),
    transform(filter(flatten(transform(
        filter(unmatched_batches, batch -> batch.batch_number < batch_number
          AND (last_having_row IS NULL OR batch.batch_number >= last_having_row)), batch -> batch.unmatched)),
        waiting -> outcome.appeared.event_time - waiting.event_time <= 604800000),
      waiting -> struct(array(outcome.appeared.ordinal, waiting.ordinal) AS ordinal,
        greatest(outcome.appeared.event_time, waiting.event_time) AS event_time,
        waiting.stream_row AS stream_row, outcome.appeared.table_row AS table_row)))) AS results
  FROM (SELECT *, get(filter(batches_having_row, batch -> batch < batch_number), 0) AS last_having_row
    FROM waiting_14)
),
-- one record for each
join_16 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_15)
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
