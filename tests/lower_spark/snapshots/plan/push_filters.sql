-- # below an inner join, to the side that it reads
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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`amount` > 1))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_16 AS
WITH
-- a table has no row without a key
met_7 AS (
  SELECT * FROM counted_6 WHERE NOT _empty AND join_value IS NOT NULL
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
-- each record with the table event before it
settled_12 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_11
),
-- the records that met a row
matched_13 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_12
),
-- one record for each
join_14 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM join_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # to both sides of an inner join
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_6 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`amount` > 1))
),
-- a row of the table that does not satisfy the condition is deleted
filter_5 AS (
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((v1.`name` = 'x'), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM filter_4
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_5;
-- counted_7: events_6, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_18 AS
WITH
-- a table has no row without a key
met_8 AS (
  SELECT * FROM counted_7 WHERE NOT _empty AND join_value IS NOT NULL
),
-- the records of the stream and the events of the table for each key in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT join_value, stretch, stream_events, table_events FROM (
    SELECT join_value, stretch, nth,
      collect_list(if(of_table, NULL, struct(ordinal, event_time, stream_row))) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(if(of_table, struct(ordinal, event_time, table_row), NULL)) OVER (PARTITION BY join_value, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY join_value ORDER BY ordinal, of_table) AS nth FROM (SELECT * FROM met_8 DISTRIBUTE BY join_value)))
  ) WHERE nth % 64 = 1
),
-- the records of the stream and the events of the table for each key in this batch, in order
batch_10 AS (
  SELECT join_value, flatten(stream_events) AS stream_events, flatten(table_events) AS table_events FROM (
    SELECT join_value, stretch,
      collect_list(stream_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stream_events,
      collect_list(table_events) OVER (PARTITION BY join_value ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS table_events
    FROM stretches_9
  ) WHERE stretch = 0
),
-- with the table's last events from before this batch
kept_11 AS (
  SELECT join_value, count(*) AS batch_number,
    max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)
      FILTER (WHERE size(stream_events) > 0) AS stream_batch,
    max_by(struct(table_events, batch_time), try_element_at(table_events, -1).ordinal, 2) FILTER (WHERE size(table_events) > 0) AS table_batches
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM batch_10) GROUP BY join_value
),
-- this batch's events, and the table's last one before
current_12 AS (
  SELECT join_value, batch_number,
    if(coalesce(stream_batch.batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE), stream_batch.stream_events, array()) AS stream_events,
    if(fresh, get(table_batches, 0).table_events, array()) AS table_events,
    try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous
  FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0), FALSE) AS fresh FROM kept_11)
),
-- each record with the table event before it
settled_13 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met)) AS records
  FROM current_12
),
-- the records that met a row
matched_14 AS (
  SELECT transform(filter(records, record -> record.met.table_row IS NOT NULL),
    record -> struct(array(record.event.ordinal, record.met.ordinal) AS ordinal, record.event.event_time AS event_time,
      record.event.stream_row AS stream_row, record.met.table_row AS table_row)) AS results
  FROM settled_13
),
-- one record for each
join_15 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_14)
),
-- the records that satisfy the condition
filter_16 AS (
  SELECT * FROM join_15
  WHERE (v0.`id` = v1.`id`)
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM filter_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # to the preserved side of a left join
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`amount` > 1))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
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
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM join_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # never to the optional side of a left join
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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_18 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT of_table OR join_value IS NOT NULL)
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
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= event.ordinal AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
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
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT join_value, max(batch_number) AS batch_number, max_by(outcome, batch_number) AS outcome,
    max_by(batch_number, batch_number, 2) FILTER (WHERE has_row) AS batches_having_row,
    max_by(struct(batch_number, unmatched), batch_number, 256) FILTER (WHERE size(unmatched) > 0) AS unmatched_batches
  FROM now_12 GROUP BY join_value
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
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
    FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_14)
),
-- the records that satisfy the condition
filter_16 AS (
  SELECT * FROM join_15
  WHERE (v1.`name` = 'x')
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM filter_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # to the right side of a right join
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('customers', 'orders'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r0.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR (v1 IS NOT NULL AND (v1.`amount` > 1))
)
-- the events of both sides, by what joins them
SELECT if(_s, k1, k0) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k1, 'row_value', v1), NULL) AS stream_row,
  if(_live, named_struct('row_key', k0, 'row_value', v0), NULL) AS table_row,
  _s AND v1 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_19 AS
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
    result.stream_row.row_key AS k1, result.stream_row.row_value AS v1,
    result.table_row.row_key AS k0, result.table_row.row_value AS v0
  FROM (SELECT explode(results) AS result FROM matched_15)
),
-- the records that satisfy the condition
filter_17 AS (
  SELECT * FROM join_16
  WHERE (v0.`name` IS NULL)
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k1 AS k0,
    named_struct('item', v1.`item`, 'name', v0.`name`) AS v0
  FROM filter_17
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # nowhere below an outer join
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`item`: STRING, `amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`name`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`item`: STRING, `amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`name`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_11;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT join_value, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(left_change, _ord) FILTER (WHERE left_change IS NOT NULL).row AS left_row,
    max_by(right_change, _ord) FILTER (WHERE right_change IS NOT NULL).row AS right_row
  FROM both_13 WHERE join_value IS NOT NULL GROUP BY join_value
),
-- a row that the condition keeps from matching has no match
met_15 AS (
  SELECT join_value, _ord, _ts,
    left_row AS left_row,
    right_row AS right_row
  FROM newest_14
),
-- a row where OUTER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL OR right_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL OR right_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL OR right_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_15
),
-- a row that does not satisfy the condition is deleted
filter_17 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`amount` > 1), FALSE) AS _live,
    k0, v0, k1, v1
  FROM join_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('item', v0.`item`, 'name', v1.`name`), NULL) AS new_value
    FROM filter_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;

-- # a condition of ON is a filter of the side that may be missing
-- strategy: STREAM with TABLE: the events of each key replayed in order, and unmatched records kept for the first row that appears, native
-- query result
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
-- keeps the unmatched records of each key, from its 256 newest batches that left some
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
  SELECT _s, _ord, _ts, _live AND if(NOT _s, coalesce((v1.`name` = 'x'), FALSE), TRUE) AS _live,
    k0, v0, k1, v1
  FROM records_3
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
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
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM join_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in update mode
SELECT line FROM written_18;

-- # a condition of ON on the preserved side is none
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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
SELECT if(_s, if((v0.`amount` > 1), k0, NULL), k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM records_3;
-- counted_5: events_4, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a table has no row without a key
met_6 AS (
  SELECT * FROM counted_5 WHERE NOT _empty AND (NOT of_table OR join_value IS NOT NULL)
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
-- each record with the table event before it, and the first row behind it
settled_11 AS (
  SELECT join_value, batch_number, previous, table_events,
    transform(stream_events, event -> struct(event AS event, coalesce(
      try_element_at(filter(table_events, table_event -> table_event.ordinal < event.ordinal), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= event.ordinal AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_10
),
-- what this batch settles, and what it leaves unmatched
now_12 AS (
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
  FROM settled_11
),
-- with the records that have waited since the table last had a row
waiting_13 AS (
  SELECT join_value, max(batch_number) AS batch_number, max_by(outcome, batch_number) AS outcome,
    max_by(batch_number, batch_number, 2) FILTER (WHERE has_row) AS batches_having_row,
    max_by(struct(batch_number, unmatched), batch_number, 256) FILTER (WHERE size(unmatched) > 0) AS unmatched_batches
  FROM now_12 GROUP BY join_value
),
-- the first row of a key goes to the records that waited for it
matched_14 AS (
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
    FROM waiting_13)
),
-- one record for each
join_15 AS (
  SELECT result.ordinal AS _ord, result.event_time AS _ts,
    result.stream_row.row_key AS k0, result.stream_row.row_value AS v0,
    result.table_row.row_key AS k1, result.table_row.row_value AS v1
  FROM (SELECT explode(results) AS result FROM matched_14)
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`, 'name', v1.`name`) AS v0
  FROM join_15
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # conditions of ON in an inner join are filters
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`item`: STRING, `amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`name`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM filter_6;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_9;
-- counted_11: records_10, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_14 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_11 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_13 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`name` = 'x'), FALSE) AS _live,
    k0, v0
  FROM changes_12
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`item`: STRING, `amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`name`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM filter_13;
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the changes of both sides
both_15 AS (
  SELECT * FROM left_7 UNION ALL SELECT * FROM right_14
),
-- the newest row of each side
newest_16 AS (
  SELECT join_value, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(left_change, _ord) FILTER (WHERE left_change IS NOT NULL).row AS left_row,
    max_by(right_change, _ord) FILTER (WHERE right_change IS NOT NULL).row AS right_row
  FROM both_15 WHERE join_value IS NOT NULL GROUP BY join_value
),
-- a row that the condition keeps from matching has no match
met_17 AS (
  SELECT join_value, _ord, _ts,
    left_row AS left_row,
    right_row AS right_row
  FROM newest_16
),
-- a row where INNER asks for one
join_18 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL AND right_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_17
),
-- the projections; a row whose whole value is null is deleted
project_19 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('item', v0.`item`, 'name', v1.`name`), NULL) AS new_value
    FROM join_18)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to result in update mode
SELECT line FROM written_20;

-- # conditions of ON in an outer join stay
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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:name)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`name`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, if((v0.`amount` > 1), k0, NULL), if((v1.`name` = 'x'), k1, NULL)) AS join_value, TRUE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_8 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_9
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_10 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_12)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_13) GROUP BY meeting
),
-- with the time of this batch
entries_15 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_14
),
-- an end of a later batch follows its start
in_order_16 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM entries_15
),
-- each version with the end that it has had by now
ends_17 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_16
),
-- the versions of each side
living_18 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_17
),
-- the versions of both sides that may meet
sides_19 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_18
),
-- the versions as they were before this batch
before_20 AS (
  SELECT *, transform(filter(left_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS left_before,
    transform(filter(right_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS right_before,
    array_max(flatten(transform(left_versions, v -> array(v.ordinal, v.end_ordinal)) || transform(right_versions, v -> array(v.ordinal, v.end_ordinal)))) AS last_change
  FROM sides_19
),
-- the times in which a side has no row to meet
gaps_21 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps_before,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps_before
  FROM before_20
),
-- what counts now, and what counted before this batch
counting_22 AS (
  SELECT last_change, is_now, inline(if(is_now,
    concat(
      flatten(transform(left_versions, left_version -> transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL) OR (NOT exists(right_gaps, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR gap.opens < left_version.end_ordinal)) AND NOT exists(left_gaps, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (right_version.end_ordinal IS NULL OR gap.opens < right_version.end_ordinal))))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_versions, lone -> exists(right_gaps, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(lone.row_id AS l, get(right_versions, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_versions, -1).content AS right_row)),
      transform(filter(right_versions, lone -> exists(left_gaps, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(get(left_versions, -1).row_id AS l, lone.row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(left_gaps, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, get(left_versions, -1).content AS left_row, lone.content AS right_row))),
    concat(
      flatten(transform(left_before, left_version -> transform(
      filter(right_before, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL) OR (NOT exists(right_gaps_before, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR gap.opens < left_version.end_ordinal)) AND NOT exists(left_gaps_before, gap -> gap.opens IS NOT NULL AND gap.opens >= least(left_version.end_ordinal, right_version.end_ordinal)
        AND (right_version.end_ordinal IS NULL OR gap.opens < right_version.end_ordinal))))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_before, lone -> exists(right_gaps_before, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(lone.row_id AS l, get(right_before, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps_before, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_before, -1).content AS right_row)),
      transform(filter(right_before, lone -> exists(left_gaps_before, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)
        AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))), lone -> struct(
        struct(get(left_before, -1).row_id AS l, lone.row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(left_gaps_before, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, get(left_before, -1).content AS left_row, lone.content AS right_row)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS is_now FROM gaps_21)
),
-- what of it has changed
changed_23 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY row_id, row_rank ORDER BY is_now DESC) AS nth,
      max(if(is_now, lives, NULL)) OVER (PARTITION BY row_id, row_rank) AS lives_now,
      max(if(is_now, NULL, lives)) OVER (PARTITION BY row_id, row_rank) AS lived_before
    FROM counting_22
  ) WHERE nth = 1 AND NOT lives_now <=> lived_before
),
-- one row for each
join_24 AS (
  SELECT row_id AS _id, struct(last_change, row_id, row_rank, lives_now AS lives) AS _ord,
    event_time AS _ts, TRUE AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changed_23
),
-- the projections; a row whose whole value is null is deleted
project_25 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', coalesce(k0, k1), 'x1', named_struct('item', v0.`item`, 'name', v1.`name`)), NULL) AS new_value
    FROM join_24)
),
-- each with its new key
moved_26 AS (
  SELECT new_key, _ord, _ts, new_value FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS new_key, v0.`x1` AS new_value FROM project_25
  ) WHERE _live AND new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_27 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM moved_26) GROUP BY new_key
),
-- one row for each change of it
each_28 AS (
  SELECT new_key, inline(entries) FROM mapped_27
),
-- how each stands now
latest_29 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_28
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_30 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_29
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_31 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_30
),
-- a null value deletes
rows_32 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_31
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to result in update mode
SELECT line FROM written_33;

-- # between streams
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
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  k0 AS join_value
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'orders'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
),
-- the records that satisfy the condition
filter_11 AS (
  SELECT * FROM records_10
  WHERE v0 IS NOT NULL AND (v0.`amount` > 1)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_11;
-- timed_13: dated_12 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW right_15 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_14 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the pairs within the window
join_16 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l JOIN right_15 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v1.`item`, 'country', v0.`country`) AS v0
  FROM join_16
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to result in append mode
SELECT line FROM written_18;

-- # a constant stays where it is
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
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
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
CREATE TEMPORARY VIEW written_16 AS
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
-- the records that satisfy the condition
filter_14 AS (
  SELECT * FROM join_13
  WHERE (1 = 2)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`) AS v0
  FROM filter_14
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to result in update mode
SELECT line FROM written_16;

-- # through two joins
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query result.stage1
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`country`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:country)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`country`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`country`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_11;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the changes of both sides
both_13 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_12
),
-- the newest row of each side
newest_14 AS (
  SELECT join_value, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(left_change, _ord) FILTER (WHERE left_change IS NOT NULL).row AS left_row,
    max_by(right_change, _ord) FILTER (WHERE right_change IS NOT NULL).row AS right_row
  FROM both_13 WHERE join_value IS NOT NULL GROUP BY join_value
),
-- a row that the condition keeps from matching has no match
met_15 AS (
  SELECT join_value, _ord, _ts,
    left_row AS left_row,
    right_row AS right_row
  FROM newest_14
),
-- a row where INNER asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL AND right_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('amount', v0.`amount`), NULL) AS new_value
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
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
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
SELECT _ord AS _ord, _ts, k0 AS join_value,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`paid`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`paid`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'payments'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_8;
-- counted_10: records_9, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW right_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_10 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_12 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`paid` > 1), FALSE) AS _live,
    k0, v0
  FROM changes_11
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`amount`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`paid`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM filter_12;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the changes of both sides
both_14 AS (
  SELECT * FROM left_6 UNION ALL SELECT * FROM right_13
),
-- the newest row of each side
newest_15 AS (
  SELECT join_value, max(_ord) AS _ord, max(_ts) AS _ts,
    max_by(left_change, _ord) FILTER (WHERE left_change IS NOT NULL).row AS left_row,
    max_by(right_change, _ord) FILTER (WHERE right_change IS NOT NULL).row AS right_row
  FROM both_14 WHERE join_value IS NOT NULL GROUP BY join_value
),
-- a row that the condition keeps from matching has no match
met_16 AS (
  SELECT join_value, _ord, _ts,
    left_row AS left_row,
    right_row AS right_row
  FROM newest_15
),
-- a row where INNER asks for one
join_17 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL AND right_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL AND right_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_16
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('amount', v0.`amount`, 'paid', v1.`paid`), NULL) AS new_value
    FROM join_17)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to result in update mode
SELECT line FROM written_19;
