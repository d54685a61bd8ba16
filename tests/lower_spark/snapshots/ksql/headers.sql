-- # all
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT, `TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'TAGS', _r0.value.`TAGS`, 'HS', coalesce(transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value)), CAST(array() AS ARRAY<STRUCT<`KEY`: STRING, `VALUE`: BINARY>>)))) AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('X', v0.`X`, 'TAGS', v0.`TAGS`, 'HS', v0.`HS`)) AS v0
  FROM records_3
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to O in append mode
SELECT line FROM written_5;

-- # single ones
-- query out
-- keeps no state
-- lines_1: the lines of one as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of one, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'one\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'one'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'ABC', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value, 'DEF', try_element_at(filter(_headers, h -> h.key = 'it\'s'), -1).value)) AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('X', v0.`X`, 'ABC', v0.`ABC`, 'DEF', v0.`DEF`)) AS v0
  FROM records_3
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to O in append mode
SELECT line FROM written_5;

-- # a function
-- query out
-- keeps no state
-- lines_1: the lines of one as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of one, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'one\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'one'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'ABC', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', octet_length(v0.`ABC`))) AS v0
  FROM records_3
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to O in append mode
SELECT line FROM written_5;

-- # a filter
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'HS', coalesce(transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value)), CAST(array() AS ARRAY<STRUCT<`KEY`: STRING, `VALUE`: BINARY>>)))) AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (((get(v0.`HS`, try_cast(CAST('0' AS BIGINT) AS INT))).`KEY` = 'abc') AND (v0.`X` > 0))
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('X', v0.`X`)) AS v0
  FROM filter_4
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to O in append mode
SELECT line FROM written_6;

-- # a new key
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'HS', coalesce(transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value)), CAST(array() AS ARRAY<STRUCT<`KEY`: STRING, `VALUE`: BINARY>>)))) AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    CASE WHEN (v0 IS NOT NULL) THEN (get(v0.`HS`, try_cast(CAST('0' AS BIGINT) AS INT))).`VALUE` ELSE CAST(NULL AS BINARY) END AS k0,
    if(v0 IS NULL, NULL, named_struct('ID', k0, 'X', v0.`X`)) AS v0
  FROM records_3
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to O in append mode
SELECT line FROM written_5;

-- # elements
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.index AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.element AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`TAGS`) u AS index, element
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('TAG', v1) AS v0
  FROM lateral_6
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to O in append mode
SELECT line FROM written_8;

-- # elements of headers
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'HS', coalesce(transform(_headers, h -> named_struct('KEY', h.key, 'VALUE', h.value)), CAST(array() AS ARRAY<STRUCT<`KEY`: STRING, `VALUE`: BINARY>>)))) AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- the records with a value
present_5 AS (
  SELECT * FROM counted_4 WHERE v0 IS NOT NULL
),
-- a record for each element
lateral_6 AS (
  SELECT array(_ord, CAST(u.index AS BIGINT)) AS _ord, _ts, k0, v0,
    CAST(NULL AS INT) AS k1, u.element AS v1
  FROM present_5 LATERAL VIEW posexplode(v0.`HS`) u AS index, element
),
-- the projections
project_7 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('H', v1) AS v0
  FROM lateral_6
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to O in append mode
SELECT line FROM written_8;

-- # after another query
-- query out.M
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
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
    if(v0 IS NULL, NULL, named_struct('X', try_add(v0.`X`, 1))) AS v0
  FROM records_3
)
-- the lines of M
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to M in append mode
SELECT line FROM written_5;

-- query out.O
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
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
    if(v0 IS NULL, NULL, named_struct('X', try_add(v0.`X`, 1))) AS v0
  FROM records_3
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('X', v0.`X`)) AS v0
  FROM project_4
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to O in append mode
SELECT line FROM written_6;

-- # several writers
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of s, t as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`Y`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 's' AS _s FROM lines_1 WHERE _topic IN ('s', 't'))
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
  WHERE NOT _s OR ((k0 IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, k0, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
  if(_s, named_struct('row_key', k0, 'row_value', v0), NULL) AS stream_row,
  if(_live, named_struct('row_key', k1, 'row_value', v1), NULL) AS table_row,
  _s AND v0 IS NULL AS _empty
FROM filter_4;
-- counted_6: events_5, counting count_if(of_table AND join_value IS NULL) AS `null key`, count_if(_empty) AS `null value`
CREATE TEMPORARY VIEW input_16 AS
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
    named_struct('X', v0.`X`) AS v0
  FROM join_14
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_15;
-- lines_17: the lines of p as one stream, in order of arrival
CREATE TEMPORARY VIEW input_21 AS
WITH
-- the records of p, with the fields that the query uses
parsed_18 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'p\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_17 WHERE _topic = 'p'
),
-- one column for each facet
records_19 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_18
),
-- the projections
project_20 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('X', v0.`X`)) AS v0
  FROM records_19
)
-- one of several inputs
SELECT array(_ord) AS _ord, _ts, k0, v0 FROM project_20;
CREATE TEMPORARY VIEW written_23 AS
WITH
-- all that is written to the topic
inputs_22 AS (
  SELECT * FROM input_16
  UNION ALL SELECT * FROM input_21
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_22;
-- written to O in update mode
SELECT line FROM written_23;

-- # another time
-- query out
-- keeps no state
-- lines_1: the lines of s as one stream, in order of arrival
CREATE TEMPORARY VIEW written_7 AS
WITH
-- the records of s, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'s\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 's'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`X` > 0)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('AT', try_cast(v0.`X` as BIGINT))) AS v0
  FROM filter_4
),
-- the time of each record
at_6 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(v0.`AT` BETWEEN 0L AND 253402300799999L, FALSE), v0.`AT`, raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM project_5
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM at_6;
-- written to O in append mode
SELECT line FROM written_7;

-- # groups
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: BYTES
-- lines_1: the lines of one as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of one, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'one\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'one'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'ABC', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`ABC` AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_10 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_7 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*)) AS v0
  FROM members_6 GROUP BY _group
),
-- a null value deletes
rows_8 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_7
),
-- the projections; a row whose whole value is null is deleted
project_9 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # groups of a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: BYTES
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`Y`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('Y', _r0.value.`Y`, 'H', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v0
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`H`), NULL) AS content
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS nth, collect_set(content.group_key) OVER (PARTITION BY k0) AS groups FROM rows_6
  ) WHERE nth = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, content, groups), _ord, 2) AS versions FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT row_now._ord AS _ord, row_now._ts AS _ts, inline(concat(array(
      struct(row_now.content AS content, 1L AS weight),
      struct(row_before.content AS content, -1L AS weight)), transform(row_now.groups,
      group_key -> struct(named_struct('group_key', group_key) AS content, 0L AS weight))))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
),
-- the sums of the changes; a group without rows stays
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', sum(weight)) AS v0
  FROM changes_9 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to O in update mode
SELECT line FROM written_13;

-- # a table
-- query out
-- keeps no state
-- lines_1: the lines of t as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`Y`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('Y', _r0.value.`Y`, 'H', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v0
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
      if(_live, named_struct('Y', v0.`Y`, 'H', v0.`H`), NULL) AS new_value
    FROM changes_5)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_6;
-- written to O in append mode
SELECT line FROM written_7;

-- # two streams
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out
-- keeps the records of both sides, for 86390000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of one as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of one, with the fields that the query uses
parsed_2 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'one\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'one'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'ABC', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value, 'DEF', try_element_at(filter(_headers, h -> h.key = 'it\'s'), -1).value)) AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_4;
-- timed_6: dated_5 with a watermark 86390000 ms behind _at
CREATE TEMPORARY VIEW left_8 AS
WITH
-- the watermark is behind the newest time
timely_7 AS (
  SELECT * FROM timed_6
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_7 WHERE v0 IS NOT NULL;
-- lines_9: the lines of b as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of b, with the fields that the query uses
parsed_10 AS (
  SELECT _headers, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`Y`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'b'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('Y', _r0.value.`Y`, 'def', try_element_at(filter(_headers, h -> h.key = 'def'), -1).value)) AS v0
  FROM parsed_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM records_11
  WHERE (k0 IS NOT NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM filter_12;
-- timed_14: dated_13 with a watermark 86390000 ms behind _at
CREATE TEMPORARY VIEW right_16 AS
WITH
-- the watermark is behind the newest time
timely_15 AS (
  SELECT * FROM timed_14
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  k0 AS join_value
FROM timely_15 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_19 AS
WITH
-- the pairs within the window
join_17 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 10000 MILLISECONDS AND l._at + INTERVAL 10000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('ONE_X', v0.`X`, 'ONE_ABC', v0.`ABC`, 'ONE_DEF', v0.`DEF`, 'OTHER_ID', k1, 'OTHER_Y', v1.`Y`, 'OTHER_def', v1.`def`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # a stream and a table
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of one, t as one stream, in order of arrival, with its headers
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _headers, _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`X`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'one\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`Y`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'one' AS _s FROM lines_1 WHERE _topic IN ('one', 't'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('X', _r0.value.`X`, 'ABC', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v0, _r1.key AS k1, if(_r1.value IS NULL, NULL, named_struct('Y', _r1.value.`Y`, 'H', try_element_at(filter(_headers, h -> h.key = 'abc'), -1).value)) AS v1
  FROM parsed_2
),
-- the records of the stream that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE NOT _s OR ((k0 IS NOT NULL))
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
-- the records with the row that they met, if they met one
matched_13 AS (
  SELECT transform(records, record -> struct(if(record.met.table_row IS NULL, array(record.event.ordinal), array(record.event.ordinal, record.met.ordinal)) AS ordinal, record.event.event_time AS event_time,
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
    named_struct('ABC', v0.`ABC`, 'H', v1.`H`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;
