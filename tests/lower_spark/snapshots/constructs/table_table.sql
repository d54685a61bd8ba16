-- # table_table
-- strategy: TABLE with TABLE on the key: the newest row of each side, native
-- query table_table
-- keeps the newest row of each side, by key STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: STRING, row_value: STRUCT<`item`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(NULL AS STRUCT<row: STRUCT<row_key: STRING, row_value: STRUCT<`label`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
FROM changes_5;
-- lines_7: the lines of items as one stream, in order of arrival
CREATE TEMPORARY VIEW records_9 AS
WITH
-- the records of items, with the fields that the query uses
parsed_8 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_7 WHERE _topic = 'items'
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
  CAST(NULL AS STRUCT<row: STRUCT<row_key: STRING, row_value: STRUCT<`item`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS left_change,
  CAST(named_struct('row', if(_live, named_struct('row_key', k0, 'row_value', v0, 'event_time', _ts, 'matches', TRUE), NULL)) AS STRUCT<row: STRUCT<row_key: STRING, row_value: STRUCT<`label`: STRING>, event_time: BIGINT, matches: BOOLEAN>>) AS right_change
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
      if(_live, named_struct('item', v0.`item`, 'label', v1.`label`), NULL) AS new_value
    FROM join_16)
)
-- the lines of table_table
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to table_table in update mode
SELECT line FROM written_18;
