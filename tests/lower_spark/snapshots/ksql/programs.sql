-- # eager left
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('N', v0.`N`, 'M', v1.`M`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # eager right
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86403000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86403000 ms behind _at
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= if(event.is_left, 3000, 1000), 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 3000 AND event.event_time + 1000,
        event.event_time BETWEEN other.event_time - 3000 AND other.event_time + 1000)) AS partners)) AS with_partners
  FROM fresh_12
),
-- one record for each pair, and for each record that has none yet
join_14 AS (
  SELECT pair.ordinal AS _ord, pair.event_time AS _ts,
    pair.left_row.row_key AS k0, pair.left_row.row_value AS v0,
    pair.right_row.row_key AS k1, pair.right_row.row_value AS v1
  FROM (SELECT explode(flatten(transform(with_partners, m -> if(size(m.partners) = 0,
      if(NOT m.event.is_left, array(struct(m.event.ordinal AS ordinal, m.event.event_time AS event_time,
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
    k1 AS k0,
    named_struct('N', v0.`N`, 'M', v1.`M`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # eager full
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 2000 ms that overlap by half, for 86400700 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_7 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`OTHER`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, FALSE AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- the projections of the stream
project_4 AS (
  SELECT _s, _ord, _ts, _live AS _live, k1, v1,
    if(_s, k0, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, named_struct('NAME', v0.`NAME`, 'ROWTIME', _ts), NULL) AS v0
  FROM records_3
),
-- the records of the stream that satisfy the condition
filter_5 AS (
  SELECT * FROM project_4
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`NAME` IS NOT NULL))
),
-- the projections of the stream
project_6 AS (
  SELECT _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, k1, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('OTHER', v1.`OTHER`), NULL) AS v1
  FROM filter_5
)
-- the records of the stream that satisfy the condition
SELECT * FROM project_6
WHERE _s OR (v1 IS NOT NULL AND (v1.`OTHER` IS NOT NULL));
-- counted_8: filter_7, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_10 AS
WITH
-- the records of both sides, by what joins them
met_9 AS (
  SELECT array(_ord) AS _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('join_value', v0.`NAME`, 'null_of', if(v0.`NAME` IS NULL, 'left', '')), named_struct('join_value', v1.`OTHER`, 'null_of', if(v1.`OTHER` IS NULL, 'right', ''))) AS join_value
  FROM counted_8
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
FROM met_9;
-- timed_11: dated_10 with a watermark 86400700 ms behind _at
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the watermark is behind the newest time
timely_12 AS (
  SELECT * FROM timed_11
),
-- the records of each stretch, with those from before this batch
history_13 AS (
  SELECT join_value, _window, collect_list(struct(
    batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,
    if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
    if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time,
      window(_at, '2000 milliseconds', '1000 milliseconds') AS _window
    FROM timely_12)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_14 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 1000 - if(event.event_time % 1000 >= if(event.is_left, 0, 700), 0, 1000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_13)
),
-- each with the records before it that it matches
matched_15 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 0 AND event.event_time + 700,
        event.event_time BETWEEN other.event_time - 0 AND other.event_time + 700)) AS partners)) AS with_partners
  FROM fresh_14
),
-- one record for each pair, and for each record that has none yet
join_16 AS (
  SELECT pair.ordinal AS _ord, pair.event_time AS _ts,
    pair.left_row.row_key AS k0, pair.left_row.row_value AS v0,
    pair.right_row.row_key AS k1, pair.right_row.row_value AS v1
  FROM (SELECT explode(flatten(transform(with_partners, m -> if(size(m.partners) = 0,
      if(TRUE, array(struct(m.event.ordinal AS ordinal, m.event.event_time AS event_time,
        m.event.left_row AS left_row, m.event.right_row AS right_row)), array()),
      transform(m.partners, partner -> struct(
        if(m.event.ordinal > partner.ordinal, m.event.ordinal || partner.ordinal, partner.ordinal || m.event.ordinal) AS ordinal,
        greatest(m.event.event_time, partner.event_time) AS event_time,
        coalesce(m.event.left_row, partner.left_row) AS left_row,
        coalesce(m.event.right_row, partner.right_row) AS right_row)))))) AS pair
    FROM matched_15)
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    coalesce(v0.`NAME`, v1.`OTHER`) AS k0,
    named_struct('NAME', v0.`NAME`, 'OTHER', v1.`OTHER`, 'AT', v0.`ROWTIME`) AS v0
  FROM join_16
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to O in update mode
SELECT line FROM written_18;

-- # eager at one instant
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 2000 ms that overlap by half, for 86400000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86400000 ms behind _at
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
      window(_at, '2000 milliseconds', '1000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 1000 - if(event.event_time % 1000 >= 0, 0, 1000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 0 AND event.event_time + 0,
        event.event_time BETWEEN other.event_time - 0 AND other.event_time + 0)) AS partners)) AS with_partners
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
    named_struct('N', v0.`N`, 'M', v1.`M`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # eager over filters
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out.X
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`NAME` <> 'p')
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', try_add(v0.`N`, 1))) AS v0
  FROM filter_4
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to X in append mode
SELECT line FROM written_6;

-- query out.Y
-- keeps no state
-- lines_1: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of b, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT, `OTHER`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'b'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`M` > 0)
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    v0.`M` AS k0,
    if(v0 IS NULL, NULL, named_struct('OTHER', v0.`OTHER`, 'ID', k0)) AS v0
  FROM filter_4
)
-- the lines of Y
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to Y in append mode
SELECT line FROM written_6;

-- query out.O
-- keeps the records of both sides of each join value by time, in stretches of 12000 ms that overlap by half, for 86403000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_9 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`NAME` <> 'p'))
),
-- the projections of the stream
project_5 AS (
  SELECT _s, _ord, _ts, _live AS _live, k1, v1,
    if(_s, k0, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, named_struct('N', try_add(v0.`N`, 1)), NULL) AS v0
  FROM filter_4
),
-- the records of the stream that satisfy the condition
filter_6 AS (
  SELECT * FROM project_5
  WHERE NOT _s OR ((k0 IS NOT NULL))
),
-- the records of the stream that satisfy the condition
filter_7 AS (
  SELECT * FROM filter_6
  WHERE _s OR (v1 IS NOT NULL AND (v1.`M` > 0))
),
-- the projections of the stream
project_8 AS (
  SELECT _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, v1.`M`, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('ID', k1), NULL) AS v1
  FROM filter_7
)
-- the records of the stream that satisfy the condition
SELECT * FROM project_8
WHERE _s OR ((k1 IS NOT NULL));
-- counted_10: filter_9, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the records of both sides, by what joins them
met_11 AS (
  SELECT array(_ord) AS _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'left', '')), named_struct('join_value', k1, 'null_of', if(k1 IS NULL, 'right', ''))) AS join_value
  FROM counted_10
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
FROM met_11;
-- timed_13: dated_12 with a watermark 86403000 ms behind _at
CREATE TEMPORARY VIEW written_20 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
),
-- the records of each stretch, with those from before this batch
history_15 AS (
  SELECT join_value, _window, collect_list(struct(
    batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,
    if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
    if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time,
      window(_at, '12000 milliseconds', '6000 milliseconds') AS _window
    FROM timely_14)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_16 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 6000 - if(event.event_time % 6000 >= 3000, 0, 6000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_15)
),
-- each with the records before it that it matches
matched_17 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 3000 AND event.event_time + 3000,
        event.event_time BETWEEN other.event_time - 3000 AND other.event_time + 3000)) AS partners)) AS with_partners
  FROM fresh_16
),
-- one record for each pair, and for each record that has none yet
join_18 AS (
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
    FROM matched_17)
),
-- the projections
project_19 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('N', v0.`N`, 'YID', v1.`ID`) AS v0
  FROM join_18
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to O in update mode
SELECT line FROM written_20;

-- # eager over elements
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out.X
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
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
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to X in append mode
SELECT line FROM written_8;

-- query out.stage2
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW written_9 AS
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
),
-- the records that satisfy the condition
filter_8 AS (
  SELECT * FROM project_7
  WHERE (k0 IS NOT NULL)
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM filter_8;
-- written to _lsqlc.out.2 in append mode
SELECT line FROM written_9;

-- query out.O
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of _lsqlc.out.2, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`TAG`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.2' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.2', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, FALSE AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
)
-- the records of the stream that satisfy the condition
SELECT * FROM records_3
WHERE _s OR ((k1 IS NOT NULL));
-- counted_5: filter_4, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- the records of both sides, by what joins them
met_6 AS (
  SELECT _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'left', '')), named_struct('join_value', k1, 'null_of', if(k1 IS NULL, 'right', ''))) AS join_value
  FROM counted_5
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
FROM met_6;
-- timed_8: dated_7 with a watermark 86402000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- the records of each stretch, with those from before this batch
history_10 AS (
  SELECT join_value, _window, collect_list(struct(
    batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,
    if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
    if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time,
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_9)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_11 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_10)
),
-- each with the records before it that it matches
matched_12 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
  FROM fresh_11
),
-- one record for each pair, and for each record that has none yet
join_13 AS (
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
    FROM matched_12)
),
-- the projections
project_14 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('TAG', v0.`TAG`, 'M', v1.`M`) AS v0
  FROM join_13
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to O in update mode
SELECT line FROM written_15;

-- # eager over one topic
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 4000 ms that overlap by half, for 86401000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS _s FROM lines_1 WHERE _topic = 'c')
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`N` IS NOT NULL))
)
-- the records of the stream that satisfy the condition
SELECT * FROM filter_4
WHERE _s OR (v1 IS NOT NULL AND (v1.`N` IS NOT NULL));
-- counted_6: filter_5, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- the records of both sides, by what joins them
met_7 AS (
  SELECT array(_ord) AS _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('join_value', v0.`N`, 'null_of', if(v0.`N` IS NULL, 'left', '')), named_struct('join_value', v1.`N`, 'null_of', if(v1.`N` IS NULL, 'right', ''))) AS join_value
  FROM counted_6
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
FROM met_7;
-- timed_9: dated_8 with a watermark 86401000 ms behind _at
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
      window(_at, '4000 milliseconds', '2000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 2000 - if(event.event_time % 2000 >= 1000, 0, 2000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 1000 AND event.event_time + 1000,
        event.event_time BETWEEN other.event_time - 1000 AND other.event_time + 1000)) AS partners)) AS with_partners
  FROM fresh_12
),
-- one record for each pair, and for each record that has none yet
join_14 AS (
  SELECT pair.ordinal AS _ord, pair.event_time AS _ts,
    pair.left_row.row_key AS k0, pair.left_row.row_value AS v0,
    pair.right_row.row_key AS k1, pair.right_row.row_value AS v1
  FROM (SELECT explode(flatten(transform(with_partners, m -> if(size(m.partners) = 0,
      if(TRUE, array(struct(if(m.event.is_left, m.event.ordinal || array(-6L), m.event.ordinal || array(-5L)) AS ordinal, m.event.event_time AS event_time,
        m.event.left_row AS left_row, m.event.right_row AS right_row)), array()),
      transform(m.partners, partner -> struct(
        if(m.event.ordinal > partner.ordinal, m.event.ordinal || partner.ordinal || array(if(m.event.is_left, 0L, 1L)), partner.ordinal || m.event.ordinal || array(if(m.event.is_left, 1L, 0L))) AS ordinal,
        greatest(m.event.event_time, partner.event_time) AS event_time,
        coalesce(m.event.left_row, partner.left_row) AS left_row,
        coalesce(m.event.right_row, partner.right_row) AS right_row)))))) AS pair
    FROM matched_13)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    coalesce(v0.`N`, v1.`N`) AS k0,
    named_struct('XN', v0.`N`, 'YN', v1.`N`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # eager and a table
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out.stage1
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
CREATE TEMPORARY VIEW written_17 AS
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('c1', v0.`N`, 'c6', v1.`M`) AS v0
  FROM join_14
),
-- the records that satisfy the condition
filter_16 AS (
  SELECT * FROM project_15
  WHERE (k0 IS NOT NULL)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM filter_16;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_17;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, t as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`c1`: INT, `c6`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 't'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
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
      try_element_at(filter(table_events, table_event -> table_event.ordinal < array(event.ordinal[0])), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= array(event.ordinal[0]) AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_10
),
-- the records with the row that they met, if they met one
matched_12 AS (
  SELECT transform(records, record -> struct(if(record.met.table_row IS NULL, record.event.ordinal, concat(record.event.ordinal, record.met.ordinal)) AS ordinal, record.event.event_time AS event_time,
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
    named_struct('A_N', v0.`c1`, 'M', v0.`c6`, 'T_NAME', v1.`NAME`) AS v0
  FROM join_13
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to O in update mode
SELECT line FROM written_15;

-- # counted after eager
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- strategy: STREAM aggregation, native
-- query out.X
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('N', v0.`N`, 'M', v1.`M`) AS v0
  FROM join_14
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to X in update mode
SELECT line FROM written_16;

-- query out.stage2
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('M', v1.`M`) AS v0
  FROM join_14
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to _lsqlc.out.2 in update mode
SELECT line FROM written_16;

-- query out.O
-- keeps one row per group: INT
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
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
    named_struct('a0', count(*), 'a1', count(v0.`M`)) AS v0
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
      if(_live, named_struct('C', v0.`a0`, 'MET', v0.`a1`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # final
-- strategy: STREAM aggregation in time windows, native; a window is written once it is closed
-- query out
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*), 'a1', max_by(v0.`N`, _ord) FILTER (WHERE v0.`N` IS NOT NULL)) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`, 'LAST', v0.`a1`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in append mode
SELECT line FROM written_14;

-- # final hops
-- strategy: STREAM aggregation in time windows, native; a window is written once it is closed
-- query out
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`NAME` AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86396000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', try_cast(sum(CAST(v0.`N` AS BIGINT)) AS BIGINT), 'a1', count(v0.`N`), 'a2', count(*)) AS v0
  FROM (SELECT *, window(_at, '4000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- a row that does not satisfy the condition is deleted
filter_13 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a2` > CAST('1' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM rows_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('UNTIL', k0.`end`, 'S', CASE WHEN (v0.`a1` = CAST('0' AS BIGINT)) THEN 0 ELSE try_cast(v0.`a0` as INT) END), NULL) AS new_value
    FROM filter_13)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to O in append mode
SELECT line FROM written_15;

-- # final sessions
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query out
-- keeps one row per open session of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86399001 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '1000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in append mode
SELECT line FROM written_14;

-- # sessions
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query out
-- keeps one row per open session of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 1001 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '1000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('SINCE', k0.`start`, 'C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in append mode
SELECT line FROM written_14;

-- # changes of sessions
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query out.X
-- keeps one row per open session of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 301 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '1000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to X in append mode
SELECT line FROM written_14;

-- query out.O
-- keeps one row per open session of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 301 ms behind _at
CREATE TEMPORARY VIEW written_16 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '1000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
),
-- each change of the table is a record
stream_14 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_13
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('C', try_add(v0.`C`, try_cast(1 as BIGINT)))) AS v0
  FROM stream_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in append mode
SELECT line FROM written_16;

-- # changes by their key
-- strategy: STREAM aggregation, native
-- query out.X
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`NAME` AS _group
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
    named_struct('a0', count(*), 'a1', coalesce(transform(min_by(struct(v0.`N` AS item), _ord, 1000), e -> e.item), array())) AS v0
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
      if(_live, named_struct('C', v0.`a0`, 'NS', v0.`a1`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to X in update mode
SELECT line FROM written_10;

-- query out.O
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`NAME` AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_14 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_7 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*), 'a1', coalesce(transform(min_by(struct(v0.`N` AS item), _ord, 1000), e -> e.item), array())) AS v0
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
),
-- the projections; a row whose whole value is null is deleted
project_10 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`C`), NULL) AS new_value
    FROM project_9)
),
-- each change of the table is a record
stream_11 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_10
),
-- the records that satisfy the condition
filter_12 AS (
  SELECT * FROM stream_11
  WHERE v0 IS NOT NULL AND ((v0 IS NOT NULL) AND (k0 <> 'q'))
),
-- the projections
project_13 AS (
  SELECT _ord, _ts,
    lower(k0) AS k0,
    if(v0 IS NULL, NULL, named_struct('NAME', (k0), 'C', v0.`C`)) AS v0
  FROM filter_12
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # changes of closed windows
-- strategy: STREAM aggregation in time windows, native; a window is written once it is closed
-- strategy: STREAM aggregation, native
-- query out.X
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to X in append mode
SELECT line FROM written_14;

-- query out.F
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
),
-- each change of the table is a record
stream_14 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_13
),
-- the records that satisfy the condition
filter_15 AS (
  SELECT * FROM stream_14
  WHERE v0 IS NOT NULL AND (v0.`C` > CAST('1' AS BIGINT))
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('C', v0.`C`)) AS v0
  FROM filter_15
)
-- the lines of F
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to F in append mode
SELECT line FROM written_17;

-- query out.stage3
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`), NULL) AS new_value
    FROM rows_12)
),
-- each change of the table is a record
stream_14 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM project_13
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM stream_14;
-- written to _lsqlc.out.3 in append mode
SELECT line FROM written_15;

-- query out.O
-- keeps one row per group: BIGINT
-- lines_1: the lines of _lsqlc.out.3 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of _lsqlc.out.3, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`key`: INT, `start`: BIGINT, `end`: BIGINT>, value STRUCT<`C`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.3'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`C` AS _group
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
      if(_live, named_struct('WINDOWS', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # joined on by the key
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out.stage1
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
CREATE TEMPORARY VIEW written_17 AS
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('c1', v0.`N`, 'c6', v1.`M`) AS v0
  FROM join_14
),
-- the records that satisfy the condition
filter_16 AS (
  SELECT * FROM project_15
  WHERE (k0 IS NOT NULL)
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM filter_16;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_17;

-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1, t as one stream, in order of arrival
CREATE TEMPORARY VIEW events_4 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`c1`: INT, `c6`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.1' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.1', 't'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, array(_r1.ordinal), _r0.ordinal) AS _ord,
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
      try_element_at(filter(table_events, table_event -> table_event.ordinal < array(event.ordinal[0])), -1), previous) AS met,
    get(filter(table_events, table_event -> table_event.ordinal >= array(event.ordinal[0]) AND table_event.table_row IS NOT NULL), 0) AS late)) AS records
  FROM current_10
),
-- the records with the row that they met, if they met one
matched_12 AS (
  SELECT transform(records, record -> struct(if(record.met.table_row IS NULL, record.event.ordinal, concat(record.event.ordinal, record.met.ordinal)) AS ordinal, record.event.event_time AS event_time,
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
    named_struct('A_N', v0.`c1`, 'M', v0.`c6`, 'T_NAME', v1.`NAME`) AS v0
  FROM join_13
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to O in update mode
SELECT line FROM written_15;

-- # histogram
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
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
    named_struct('a0', map_from_entries(sort_array(transform(if(aggregate(coalesce(approx_top_k(v0.`NAME`, 1000000, 1000000) FILTER (WHERE v0.`NAME` IS NOT NULL), array()), 0L, (s, e) -> s + e.count) = count_if(v0.`NAME` IS NOT NULL), coalesce(approx_top_k(v0.`NAME`, 1000000, 1000000) FILTER (WHERE v0.`NAME` IS NOT NULL), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)))), 'a1', count(*)) AS v0
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
      if(_live, named_struct('H', v0.`a0`, 'C', v0.`a1`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # histogram of a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument0', v0.`NAME`), NULL) AS content
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
      group_key -> struct(named_struct('group_key', group_key, 'argument0', CAST(NULL AS STRING)) AS content, 0L AS weight))))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
),
-- the sums of the changes; a group without rows stays
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', map_from_entries(get(transform(array(sort_array(concat(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight > 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), transform(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight < 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), e -> struct(e.value AS value, -e.occurs AS occurs))))), counts -> filter(transform(counts, (e, i) -> struct(e.value AS value, e.occurs + if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L) AS occurs)), e -> e.occurs > 0)), 0))) AS v0
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
      if(_live, named_struct('H', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to O in update mode
SELECT line FROM written_13;

-- # histogram of windows
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query out
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', map_from_entries(sort_array(transform(if(aggregate(coalesce(approx_top_k(v0.`NAME`, 1000000, 1000000) FILTER (WHERE v0.`NAME` IS NOT NULL), array()), 0L, (s, e) -> s + e.count) = count_if(v0.`NAME` IS NOT NULL), coalesce(approx_top_k(v0.`NAME`, 1000000, 1000000) FILTER (WHERE v0.`NAME` IS NOT NULL), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs))))) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('H', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # several by offset
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
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
    named_struct('a0', coalesce(transform(min_by(struct(v0.`N` AS item), _ord, 2) FILTER (WHERE v0.`N` IS NOT NULL), e -> e.item), array()), 'a1', coalesce(transform(reverse(max_by(struct(v0.`NAME` AS item), _ord, 3)), e -> e.item), array()), 'a2', coalesce(transform(reverse(max_by(struct(v0.`N` AS item), _ord, 2) FILTER (WHERE v0.`N` IS NOT NULL)), e -> e.item), array()), 'a3', min_by(v0.`NAME`, _ord)) AS v0
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
      if(_live, named_struct('E', v0.`a0`, 'L', v0.`a1`, 'S', v0.`a2`, 'F', v0.`a3`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # time of a table
-- query out
-- keeps no state
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_8 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((_ts > CAST('2000' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- the projections; a row whose whole value is null is deleted
project_7 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('AT', _ts, 'NAME', v0.`NAME`), NULL) AS new_value
    FROM filter_6)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_7;
-- written to O in append mode
SELECT line FROM written_8;

-- # time of groups
-- strategy: STREAM aggregation, native
-- query out.X
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`NAME` AS _group
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
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to X in update mode
SELECT line FROM written_10;

-- query out.O
-- keeps one row per group: STRING
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`NAME` AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_11 AS
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
),
-- the projections; a row whose whole value is null is deleted
project_10 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`C`, 'AT', _ts), NULL) AS new_value
    FROM project_9)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to O in update mode
SELECT line FROM written_11;

-- # time of joined tables
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out.X
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`N`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`M`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of u as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of u, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'u\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'u'
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
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`N`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`M`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
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
    if(left_row.matches, right_row, NULL) AS right_row
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('N', v0.`N`, 'M', v1.`M`), NULL) AS new_value
    FROM join_16)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to X in update mode
SELECT line FROM written_18;

-- query out.O
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`N`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`M`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of u as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of u, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'u\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'u'
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
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`N`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`M`: INT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
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
    if(left_row.matches, right_row, NULL) AS right_row
  FROM newest_14
),
-- a row where LEFT asks for one
join_16 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_15
),
-- the projections; a row whose whole value is null is deleted
project_17 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('N', v0.`N`, 'M', v1.`M`), NULL) AS new_value
    FROM join_16)
),
-- the projections; a row whose whole value is null is deleted
project_18 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('N', v0.`N`, 'M', v0.`M`, 'AT', _ts), NULL) AS new_value
    FROM project_17)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in update mode
SELECT line FROM written_19;

-- # time of a table's groups
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out.X
-- keeps the versions of each row in its two newest batches, by key INT
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`NAME` <> 'q'), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument1', v0.`NAME`), NULL) AS content
  FROM filter_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM rows_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version enters its group, and leaves it when the next one comes
changes_12 AS (
  SELECT k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(
    if(i >= size(versions) - new_count, array(struct(v._ord AS _ord, v._ts AS _ts, v.content AS content, 1L AS weight)), array()),
    if(i + 1 < size(versions), array(struct(get(versions, i + 1)._ord AS _ord, get(versions, i + 1)._ts AS _ts, v.content AS content, -1L AS weight)), array())))))
  FROM successions_11
),
-- the sums of the changes; a group without rows stays
groups_13 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', sum(weight), 'a1', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, weight, content.argument1 AS item)))), changes -> filter(changes, (e, i) -> e.weight > 0 AND NOT coalesce(get(changes, i + 1)._row <=> e._row, FALSE))), 0), e -> e.item), 1, 1000)) AS v0
  FROM changes_12 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_13
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`, 'L', v0.`a1`), NULL) AS new_value
    FROM rows_14)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to X in update mode
SELECT line FROM written_16;

-- query out.O
-- keeps the versions of each row in its two newest batches, by key INT
-- keeps one row per group: INT, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- a row that does not satisfy the condition is deleted
filter_6 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`NAME` <> 'q'), FALSE) AS _live,
    k0, v0
  FROM changes_5
),
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument1', v0.`NAME`), NULL) AS content
  FROM filter_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM rows_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version enters its group, and leaves it when the next one comes
changes_12 AS (
  SELECT k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(
    if(i >= size(versions) - new_count, array(struct(v._ord AS _ord, v._ts AS _ts, v.content AS content, 1L AS weight)), array()),
    if(i + 1 < size(versions), array(struct(get(versions, i + 1)._ord AS _ord, get(versions, i + 1)._ts AS _ts, v.content AS content, -1L AS weight)), array())))))
  FROM successions_11
),
-- the sums of the changes; a group without rows stays
groups_13 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', sum(weight), 'a1', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, weight, content.argument1 AS item)))), changes -> filter(changes, (e, i) -> e.weight > 0 AND NOT coalesce(get(changes, i + 1)._row <=> e._row, FALSE))), 0), e -> e.item), 1, 1000)) AS v0
  FROM changes_12 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_13
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`, 'L', v0.`a1`), NULL) AS new_value
    FROM rows_14)
),
-- the projections; a row whose whole value is null is deleted
project_16 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`C`, 'L', v0.`L`, 'AT', _ts), NULL) AS new_value
    FROM project_15)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to O in update mode
SELECT line FROM written_17;

-- # time of a table's groups in a stream
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out.X
-- keeps the versions of each row in its two newest batches, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument0', v0.`NAME`), NULL) AS content
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM rows_6 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_7
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(
    if(i >= size(versions) - new_count, array(struct(v._ord AS _ord, v._ts AS _ts, v.content AS content, 1L AS weight)), array()),
    if(i + 1 < size(versions), array(struct(get(versions, i + 1)._ord AS _ord, get(versions, i + 1)._ts AS _ts, v.content AS content, -1L AS weight)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows stays
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', map_from_entries(get(transform(array(sort_array(concat(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight > 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), transform(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight < 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), e -> struct(e.value AS value, -e.occurs AS occurs))))), counts -> filter(transform(counts, (e, i) -> struct(e.value AS value, e.occurs + if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L) AS occurs)), e -> e.occurs > 0)), 0))) AS v0
  FROM changes_11 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('H', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to X in update mode
SELECT line FROM written_15;

-- query out.Y
-- keeps the versions of each row in its two newest batches, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument0', v0.`NAME`), NULL) AS content
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM rows_6 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_7
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(
    if(i >= size(versions) - new_count, array(struct(v._ord AS _ord, v._ts AS _ts, v.content AS content, 1L AS weight)), array()),
    if(i + 1 < size(versions), array(struct(get(versions, i + 1)._ord AS _ord, get(versions, i + 1)._ts AS _ts, v.content AS content, -1L AS weight)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows stays
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', map_from_entries(get(transform(array(sort_array(concat(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight > 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), transform(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight < 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), e -> struct(e.value AS value, -e.occurs AS occurs))))), counts -> filter(transform(counts, (e, i) -> struct(e.value AS value, e.occurs + if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L) AS occurs)), e -> e.occurs > 0)), 0))) AS v0
  FROM changes_11 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('H', v0.`a0`), NULL) AS new_value
    FROM rows_13)
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('H', v0.`H`, 'AT', _ts), NULL) AS new_value
    FROM project_14)
)
-- the lines of Y
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to Y in update mode
SELECT line FROM written_16;

-- query out.stage3
-- keeps the versions of each row in its two newest batches, by key INT
-- keeps one row per group: INT
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`N`, 'argument0', v0.`NAME`), NULL) AS content
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM rows_6 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_7
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_9
),
-- each version enters its group, and leaves it when the next one comes
changes_11 AS (
  SELECT k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(
    if(i >= size(versions) - new_count, array(struct(v._ord AS _ord, v._ts AS _ts, v.content AS content, 1L AS weight)), array()),
    if(i + 1 < size(versions), array(struct(get(versions, i + 1)._ord AS _ord, get(versions, i + 1)._ts AS _ts, v.content AS content, -1L AS weight)), array())))))
  FROM successions_10
),
-- the sums of the changes; a group without rows stays
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', map_from_entries(get(transform(array(sort_array(concat(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight > 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), transform(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight < 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), e -> struct(e.value AS value, -e.occurs AS occurs))))), counts -> filter(transform(counts, (e, i) -> struct(e.value AS value, e.occurs + if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L) AS occurs)), e -> e.occurs > 0)), 0))) AS v0
  FROM changes_11 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('H', v0.`a0`), NULL) AS new_value
    FROM rows_13)
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('AT', _ts), NULL) AS new_value
    FROM project_14)
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to _lsqlc.out.3 in update mode
SELECT line FROM written_16;

-- query out.O
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.3, a as one stream, in order of arrival
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AT`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', '_lsqlc.out.3'))
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
  WHERE NOT _s OR (v0 IS NOT NULL AND (v0.`N` IS NOT NULL))
)
-- the events of both sides, by what joins them
SELECT if(_s, v0.`N`, k1) AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,
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
    v0.`N` AS k0,
    named_struct('ID', k0, 'AT', v1.`AT`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # places
-- query out
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival, with the place of each
CREATE TEMPORARY VIEW written_6 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT _partition, _offset, explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('N', _r0.value.`N`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND ((v0.`N` > 0) AND (v0.`ROWOFFSET` > CAST('0' AS BIGINT)))
),
-- the projections
project_5 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('PART', v0.`ROWPARTITION`, 'PLACE', v0.`ROWOFFSET`)) AS v0
  FROM filter_4
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_5;
-- written to O in append mode
SELECT line FROM written_6;

-- # places of rows
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t as one stream, in order of arrival, with the place of each
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT _partition, _offset, explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('NAME', _r0.value.`NAME`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v0
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`NAME`, 'argument1', v0.`ROWOFFSET`, 'argument2', v0.`ROWOFFSET`), NULL) AS content
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
      group_key -> struct(named_struct('group_key', group_key, 'argument1', CAST(NULL AS BIGINT), 'argument2', CAST(NULL AS BIGINT)) AS content, 0L AS weight))))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
),
-- the sums of the changes; a group without rows stays
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', sum(weight), 'a1', if(sum(if(content.argument1 IS NULL, 0L, weight)) = 0, NULL, try_cast(sum(CAST(content.argument1 AS DECIMAL(20,0)) * weight) AS BIGINT)), 'a2', sum(if(content.argument2 IS NULL, 0L, weight))) AS v0
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
      if(_live, named_struct('C', v0.`a0`, 'S', CASE WHEN (v0.`a2` = CAST('0' AS BIGINT)) THEN CAST('0' AS BIGINT) ELSE v0.`a1` END), NULL) AS new_value
    FROM rows_11)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to O in update mode
SELECT line FROM written_13;

-- # places of both sides
-- strategy: STREAM with TABLE: the events of each key replayed in order, native
-- query out
-- keeps the table's events of each key in its two newest batches, and the stream's of the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of a, t as one stream, in order of arrival, with the place of each
CREATE TEMPORARY VIEW events_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _partition, _offset, _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`NAME`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 't'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('N', _r0.value.`N`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v0, _r1.key AS k1, if(_r1.value IS NULL, NULL, named_struct('NAME', _r1.value.`NAME`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v1
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
    named_struct('X', v0.`ROWOFFSET`, 'Y', v1.`ROWOFFSET`, 'T_NAME', v1.`NAME`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;

-- # places under a star
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of a, b as one stream, in order of arrival, with the place of each
CREATE TEMPORARY VIEW filter_7 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _partition, _offset, _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])|\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(regexp_replace(_line, '((?<!\\\\)"(?:NAME)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT, `NAME`: STRING, `TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT, `OTHER`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'a' AS _s FROM lines_1 WHERE _topic IN ('a', 'b'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, FALSE AS _live,
    _r0.key AS k0, if(_r0.value IS NULL, NULL, named_struct('N', _r0.value.`N`, 'NAME', _r0.value.`NAME`, 'TAGS', _r0.value.`TAGS`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v0, _r1.key AS k1, if(_r1.value IS NULL, NULL, named_struct('M', _r1.value.`M`, 'OTHER', _r1.value.`OTHER`, 'ROWPARTITION', _partition, 'ROWOFFSET', _offset)) AS v1
  FROM parsed_2
),
-- the projections of the stream
project_4 AS (
  SELECT _s, _ord, _ts, _live AS _live, k1, v1,
    if(_s, k0, NULL) AS k0,
    if(_s AND v0 IS NOT NULL, named_struct('N', v0.`N`, 'NAME', v0.`NAME`, 'TAGS', v0.`TAGS`, 'ROWPARTITION', v0.`ROWPARTITION`, 'ROWOFFSET', v0.`ROWOFFSET`, 'ROWTIME', _ts), NULL) AS v0
  FROM records_3
),
-- the records of the stream that satisfy the condition
filter_5 AS (
  SELECT * FROM project_4
  WHERE NOT _s OR ((k0 IS NOT NULL))
),
-- the projections of the stream
project_6 AS (
  SELECT _s, _ord, _ts, _live AS _live, k0, v0,
    if(NOT _s, k1, NULL) AS k1,
    if(NOT _s AND v1 IS NOT NULL, named_struct('M', v1.`M`, 'OTHER', v1.`OTHER`, 'ROWPARTITION', v1.`ROWPARTITION`, 'ROWOFFSET', v1.`ROWOFFSET`, 'ROWTIME', _ts), NULL) AS v1
  FROM filter_5
)
-- the records of the stream that satisfy the condition
SELECT * FROM project_6
WHERE _s OR ((k1 IS NOT NULL));
-- counted_8: filter_7, counting count_if(_s AND v0 IS NULL OR NOT _s AND v1 IS NULL) AS `null value`
CREATE TEMPORARY VIEW dated_10 AS
WITH
-- the records of both sides, by what joins them
met_9 AS (
  SELECT array(_ord) AS _ord, _ts, _s, k0, v0, k1, v1,
    if(_s, named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'left', '')), named_struct('join_value', k1, 'null_of', if(k1 IS NULL, 'right', ''))) AS join_value
  FROM counted_8
  WHERE NOT (_s AND v0 IS NULL OR NOT _s AND v1 IS NULL)
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, k1, v1, _s, join_value
FROM met_9;
-- timed_11: dated_10 with a watermark 86402000 ms behind _at
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the watermark is behind the newest time
timely_12 AS (
  SELECT * FROM timed_11
),
-- the records of each stretch, with those from before this batch
history_13 AS (
  SELECT join_value, _window, collect_list(struct(
    batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,
    if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
    if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time,
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_12)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_14 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_13)
),
-- each with the records before it that it matches
matched_15 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
  FROM fresh_14
),
-- one record for each pair, and for each record that has none yet
join_16 AS (
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
    FROM matched_15)
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    v0.`N` AS k0,
    named_struct('A_NAME', v0.`NAME`, 'A_TAGS', v0.`TAGS`, 'A_ROWTIME', v0.`ROWTIME`, 'A_ROWPARTITION', v0.`ROWPARTITION`, 'A_ROWOFFSET', v0.`ROWOFFSET`, 'A_ID', k0, 'B_M', v1.`M`, 'B_OTHER', v1.`OTHER`, 'B_ROWTIME', v1.`ROWTIME`, 'B_ROWPARTITION', v1.`ROWPARTITION`, 'B_ROWOFFSET', v1.`ROWOFFSET`, 'B_ID', k1) AS v0
  FROM join_16
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to O in update mode
SELECT line FROM written_18;

-- # times of both tables
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query out
-- keeps the newest row of each side, by key INT
-- lines_1: the lines of t as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of t, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 't'
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
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('ROWTIME', _ts), NULL) AS new_value
    FROM changes_5)
)
-- the rows of the left side
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`ROWTIME`: BIGINT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`ROWTIME`: BIGINT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM project_6;
-- lines_8: the lines of u as one stream, in order of arrival
CREATE TEMPORARY VIEW records_10 AS
WITH
-- the records of u, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'u\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'u'
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
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('ROWTIME', _ts), NULL) AS new_value
    FROM changes_12)
)
-- the rows of the right side
SELECT array(_ord) AS _ord, _ts, k0 AS join_value,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`ROWTIME`: BIGINT>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: INT, row_value: STRUCT<`ROWTIME`: BIGINT>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM project_13;
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
-- a row where OUTER asks for one
join_18 AS (
  SELECT _ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,
    left_row IS NOT NULL OR right_row IS NOT NULL AS _live,
    if(left_row IS NOT NULL OR right_row IS NOT NULL, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,
    if(left_row IS NOT NULL OR right_row IS NOT NULL, right_row.row_key, join_value) AS k1, right_row.row_value AS v1
  FROM met_17
),
-- the projections; a row whose whole value is null is deleted
project_19 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('TT', v0.`ROWTIME`, 'UT', v1.`ROWTIME`), NULL) AS new_value
    FROM join_18)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_19;
-- written to O in update mode
SELECT line FROM written_20;

-- # time of a foreign key's rows
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query out.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t, u as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'u\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 't' AS _s FROM lines_1 WHERE _topic IN ('t', 'u'))
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
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`N`, k1) AS join_value, FALSE AS preserved
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
-- what is new, and what it may meet
touched_16 AS (
  SELECT meeting, now, filter(all_versions, e -> e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)) AS all_versions FROM (
    SELECT *, exists(all_versions, e -> e.batch_time = now AND e.left_row IS NULL) AS old_left,
      exists(all_versions, e -> e.batch_time = now AND e.right_row IS NULL) AS old_right
    FROM entries_15 WHERE exists(all_versions, e -> e.row_id.is_left) AND exists(all_versions, e -> NOT e.row_id.is_left)
  )
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM touched_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the pairs that come and go
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(left_versions, left_version -> flatten(transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal)),
      right_version -> array(if(left_version.began_now OR right_version.began_now,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.ordinal > right_version.ordinal, left_version.ordinal || right_version.ordinal, right_version.ordinal || left_version.ordinal) AS ordinal, TRUE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL),
        if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, least(left_version.end_ordinal, right_version.end_ordinal) AS ordinal, FALSE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL))))))), c -> c IS NOT NULL))
  FROM sides_20
),
-- one row for each
join_22 AS (
  SELECT row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changes_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', k0, 'x1', named_struct('N', v0.`N`, 'M', v1.`M`)), NULL) AS new_value
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.1 in update mode
SELECT line FROM written_25;

-- query out.X
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.out.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`N`: INT, `M`: INT>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.1'
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
  SELECT k0 AS _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS new_key,
      if(_live, v0.`v`, NULL) AS new_value
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(last_change) AS _ord, content.new_key AS k0,
    max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE content.new_key IS NOT NULL GROUP BY content.new_key
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM keys_13
),
-- a null value deletes
rows_15 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_14
)
-- the lines of X
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_15;
-- written to X in update mode
SELECT line FROM written_16;

-- query out.stage3
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of t, u as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'t\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'u\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 't' AS _s FROM lines_1 WHERE _topic IN ('t', 'u'))
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
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`N`, k1) AS join_value, FALSE AS preserved
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
-- what is new, and what it may meet
touched_16 AS (
  SELECT meeting, now, filter(all_versions, e -> e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)) AS all_versions FROM (
    SELECT *, exists(all_versions, e -> e.batch_time = now AND e.left_row IS NULL) AS old_left,
      exists(all_versions, e -> e.batch_time = now AND e.right_row IS NULL) AS old_right
    FROM entries_15 WHERE exists(all_versions, e -> e.row_id.is_left) AND exists(all_versions, e -> NOT e.row_id.is_left)
  )
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM touched_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the pairs that come and go
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(left_versions, left_version -> flatten(transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal)),
      right_version -> array(if(left_version.began_now OR right_version.began_now,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.ordinal > right_version.ordinal, left_version.ordinal || right_version.ordinal, right_version.ordinal || left_version.ordinal) AS ordinal, TRUE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL),
        if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, least(left_version.end_ordinal, right_version.end_ordinal) AS ordinal, FALSE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL))))))), c -> c IS NOT NULL))
  FROM sides_20
),
-- one row for each
join_22 AS (
  SELECT row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changes_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', k0, 'x1', named_struct('M', v1.`M`)), NULL) AS new_value
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.out.3 in update mode
SELECT line FROM written_25;

-- query out.O
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.out.3 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.out.3, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: INT, `x1`: STRUCT<`M`: INT>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.3'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_17 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT k0 AS _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS new_key,
      if(_live, v0.`v`, NULL) AS new_value
    FROM changes_5)
),
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_11
),
-- the newest version ever mapped to a key decides
keys_13 AS (
  SELECT max(last_change) AS _ord, content.new_key AS k0,
    max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row
  FROM ended_12 WHERE content.new_key IS NOT NULL GROUP BY content.new_key
),
-- a key whose newest version has left is deleted
rekeyed_14 AS (
  SELECT _ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM keys_13
),
-- a null value deletes
rows_15 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_14
),
-- the projections; a row whose whole value is null is deleted
project_16 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('M', v0.`M`, 'AT', _ts), NULL) AS new_value
    FROM rows_15)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to O in update mode
SELECT line FROM written_17;

-- # groups of several writers
-- strategy: STREAM aggregation, native
-- query out.W
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
-- lines_11: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_16 AS
WITH
-- the records of a, with the fields that the query uses
parsed_12 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_11 WHERE _topic = 'a'
),
-- one column for each facet
records_13 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_12
),
-- the records that satisfy the condition
filter_14 AS (
  SELECT * FROM records_13
  WHERE v0 IS NOT NULL AND (v0.`N` > 0)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', try_add(v0.`N`, 1))) AS v0
  FROM filter_14
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_15;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- all that is written to the topic
inputs_17 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
  UNION ALL SELECT * FROM input_16
)
-- the lines of W
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_17;
-- written to W in append mode
SELECT line FROM written_18;

-- query out.stage2
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT array(_ord) || array(0L) AS _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT array(_ord) || array(1L) AS _ord, _ts, k0, v0 FROM project_9;
-- lines_11: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_16 AS
WITH
-- the records of a, with the fields that the query uses
parsed_12 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_11 WHERE _topic = 'a'
),
-- one column for each facet
records_13 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_12
),
-- the records that satisfy the condition
filter_14 AS (
  SELECT * FROM records_13
  WHERE v0 IS NOT NULL AND (v0.`N` > 0)
),
-- the projections
project_15 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', try_add(v0.`N`, 1))) AS v0
  FROM filter_14
)
-- one of several inputs
SELECT array(_ord) || array(2L) AS _ord, _ts, k0, v0 FROM project_15;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- all that is written to the topic
inputs_17 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
  UNION ALL SELECT * FROM input_16
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_17;
-- written to _lsqlc.out.2 in append mode
SELECT line FROM written_18;

-- query out.O
-- keeps one row per group: INT
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_5 AS
WITH
-- the records of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0.`N` <> 7)
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM filter_4;
-- counted_6: grouped_5, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_11 AS
WITH
-- records without a group do not count
members_7 AS (
  SELECT * FROM counted_6 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_8 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*), 'a1', coalesce(transform(min_by(struct(v0.`N` AS item), _ord, 1000), e -> e.item), array()), 'a2', max_by(v0.`N`, _ord) FILTER (WHERE v0.`N` IS NOT NULL)) AS v0
  FROM members_7 GROUP BY _group
),
-- a null value deletes
rows_9 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_8
),
-- the projections; a row whose whole value is null is deleted
project_10 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`, 'L', v0.`a1`, 'LAST', v0.`a2`), NULL) AS new_value
    FROM rows_9)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to O in update mode
SELECT line FROM written_11;

-- # windows of several writers
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query out.W
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of W
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to W in append mode
SELECT line FROM written_12;

-- query out.stage2
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to _lsqlc.out.2 in append mode
SELECT line FROM written_12;

-- query out.O
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of _lsqlc.out.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of _lsqlc.out.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.2'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, k0 AS _group
FROM records_3;
-- counted_5: grouped_4, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86397000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*), 'a1', try_cast(sum(CAST(v0.`N` AS BIGINT)) AS BIGINT), 'a2', count(v0.`N`)) AS v0
  FROM (SELECT *, window(_at, '3000 milliseconds', '3000 milliseconds') AS _window FROM timely_9)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_11 AS (
  SELECT * FROM windows_10 WHERE k0.start >= 0
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('C', v0.`a0`, 'S', CASE WHEN (v0.`a2` = CAST('0' AS BIGINT)) THEN 0 ELSE try_cast(v0.`a1` as INT) END), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # join of several writers
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query out.W
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW input_8 AS
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
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_7;
-- lines_9: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_13 AS
WITH
-- the records of b, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`OTHER`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'b'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the projections
project_12 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('TAG', v0.`OTHER`)) AS v0
  FROM records_11
)
-- one of several inputs
SELECT array(_ord) AS _ord, _ts, k0, v0 FROM project_12;
CREATE TEMPORARY VIEW written_15 AS
WITH
-- all that is written to the topic
inputs_14 AS (
  SELECT * FROM input_8
  UNION ALL SELECT * FROM input_13
)
-- the lines of W
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_14;
-- written to W in append mode
SELECT line FROM written_15;

-- query out.V
-- keeps no state
-- lines_1: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of c, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'c'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of V
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to V in append mode
SELECT line FROM written_12;

-- query out.stage3
-- keeps no state
-- lines_1: the lines of a as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of a, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(_line, '((?:(?<!\\\\)"(?:TAGS)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`TAGS`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'a'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(v0 IS NULL) AS `null value`
CREATE TEMPORARY VIEW input_8 AS
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
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_7;
-- lines_9: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_13 AS
WITH
-- the records of b, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:OTHER)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`OTHER`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_9 WHERE _topic = 'b'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_10
),
-- the projections
project_12 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('TAG', v0.`OTHER`)) AS v0
  FROM records_11
)
-- one of several inputs
SELECT array(_ord) AS _ord, _ts, k0, v0 FROM project_12;
CREATE TEMPORARY VIEW written_15 AS
WITH
-- all that is written to the topic
inputs_14 AS (
  SELECT * FROM input_8
  UNION ALL SELECT * FROM input_13
)
-- the lines of _lsqlc.out.3
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_14;
-- written to _lsqlc.out.3 in append mode
SELECT line FROM written_15;

-- query out.stage4
-- keeps no state
-- lines_1: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of c, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'c'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of _lsqlc.out.4
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to _lsqlc.out.4 in append mode
SELECT line FROM written_12;

-- query out.O
-- keeps the records of both sides, for 86398000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of _lsqlc.out.3 as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_5 AS
WITH
-- the records of _lsqlc.out.3, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`TAG`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.out.3'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
-- timed_6: dated_5 with a watermark 86398000 ms behind _at
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
-- lines_9: the lines of _lsqlc.out.4 as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_13 AS
WITH
-- the records of _lsqlc.out.4, with the fields that the query uses
parsed_10 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_9 WHERE _topic = '_lsqlc.out.4'
),
-- one column for each facet
records_11 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
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
-- timed_14: dated_13 with a watermark 86398000 ms behind _at
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
  SELECT CASE WHEN r._ord IS NULL THEN l._ord WHEN l._ord IS NULL THEN array(r._ord)
      WHEN l._ord > array(r._ord) THEN l._ord || array(r._ord) || array(0L)
      ELSE array(r._ord) || l._ord || array(1L) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_8 l JOIN right_16 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 2000 MILLISECONDS AND l._at + INTERVAL 2000 MILLISECONDS
),
-- the projections
project_18 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('TAG', v0.`TAG`, 'N', v1.`N`) AS v0
  FROM join_17
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_18;
-- written to O in append mode
SELECT line FROM written_19;

-- # eager join of several writers
-- strategy: STREAM with STREAM: the records near each one in time, unmatched at once, native
-- query out.W
-- keeps no state
-- lines_1: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of c, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'c'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of W
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to W in append mode
SELECT line FROM written_12;

-- query out.stage2
-- keeps no state
-- lines_1: the lines of c as one stream, in order of arrival
CREATE TEMPORARY VIEW input_5 AS
WITH
-- the records of c, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'c\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'c'
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
    if(v0 IS NULL, NULL, named_struct('N', v0.`N`)) AS v0
  FROM records_3
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_4;
-- lines_6: the lines of b as one stream, in order of arrival
CREATE TEMPORARY VIEW input_10 AS
WITH
-- the records of b, with the fields that the query uses
parsed_7 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`M`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'b\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_6 WHERE _topic = 'b'
),
-- one column for each facet
records_8 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_7
),
-- the projections
project_9 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('N', v0.`M`)) AS v0
  FROM records_8
)
-- one of several inputs
SELECT _ord, _ts, k0, v0 FROM project_9;
CREATE TEMPORARY VIEW written_12 AS
WITH
-- all that is written to the topic
inputs_11 AS (
  SELECT * FROM input_5
  UNION ALL SELECT * FROM input_10
)
-- the lines of _lsqlc.out.2
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM inputs_11;
-- written to _lsqlc.out.2 in append mode
SELECT line FROM written_12;

-- query out.O
-- keeps the records of both sides of each join value by time, in stretches of 8000 ms that overlap by half, for 86402000 ms behind the newest
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
-- lines_1: the lines of _lsqlc.out.2, a as one stream, in order of arrival
CREATE TEMPORARY VIEW filter_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(from_json(if(_s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`N`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'a\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = '_lsqlc.out.2' AS _s FROM lines_1 WHERE _topic IN ('_lsqlc.out.2', 'a'))
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
-- timed_9: dated_8 with a watermark 86402000 ms behind _at
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
      window(_at, '8000 milliseconds', '4000 milliseconds') AS _window
    FROM timely_10)
  GROUP BY join_value, _window
),
-- the records of this batch that are to be settled here
fresh_12 AS (
  SELECT *, filter(events, event ->
    event.batch_time = this_batch AND start = event.event_time - event.event_time % 4000 - if(event.event_time % 4000 >= 2000, 0, 4000)) AS new_events
  FROM (SELECT events, unix_millis(_window.start) AS start, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS this_batch FROM history_11)
),
-- each with the records before it that it matches
matched_13 AS (
  SELECT transform(new_events, event -> struct(event,
    filter(events, other -> other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal
        OR (other.is_left AND other.ordinal = event.ordinal))
      AND if(event.is_left, other.event_time BETWEEN event.event_time - 2000 AND event.event_time + 2000,
        event.event_time BETWEEN other.event_time - 2000 AND other.event_time + 2000)) AS partners)) AS with_partners
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
    named_struct('W_N', v0.`N`, 'AN', v1.`N`) AS v0
  FROM join_14
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to O in update mode
SELECT line FROM written_16;
