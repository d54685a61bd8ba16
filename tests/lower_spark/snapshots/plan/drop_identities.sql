-- # a copy of a topic
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('paid', v0.`paid`), NULL) AS new_value
    FROM changes_5)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to result in append mode
SELECT line FROM written_7;

-- # a copy that is written
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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

-- # copies of copies
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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

-- # a filter stays
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`paid` > 1)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('paid', v0.`paid`)) AS v0
  FROM filter_4
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to result in append mode
SELECT line FROM written_6;

-- # a new key stays
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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

-- # all fields by name are not the value
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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
    if(v0 IS NULL, NULL, named_struct('order_id', v0.`order_id`, 'paid', v0.`paid`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # a new format stays
-- query result
-- keeps no state
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`order_id`: INT, `paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
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
    if(v0 IS NULL, NULL, v0) AS v0
  FROM records_3
)
-- the lines of other
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to other in append mode
SELECT line FROM written_5;

-- # a side of a join stays
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
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name|country|city|zip)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name|country|city|zip)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING, `country`: STRING, `address`: STRUCT<`city`: STRING, `zip`: STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND join_value IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_6 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_8 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_7
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_9 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_8) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_10 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_9)
),
-- each record with the table event before it
settled_11 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_10
),
-- the records that met a row
matched_12 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_11
),
-- one record for each
join_13 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_12)
),
-- the projections
project_14 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM join_13
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;
