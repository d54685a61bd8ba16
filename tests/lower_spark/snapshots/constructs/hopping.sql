-- # hopping
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query hopping
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
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
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '60000 milliseconds', '30000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of hopping
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to hopping in update mode
SELECT line FROM written_14;
