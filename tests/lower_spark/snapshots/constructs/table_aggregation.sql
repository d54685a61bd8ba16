-- # table_aggregation
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query table_aggregation
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `price`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`item`, 'argument1', v0.`price`, 'argument2', v0.`price`), NULL) AS content
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS nth FROM rows_6
  ) WHERE nth = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, content), _ord, 2) AS versions FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT row_now._ord AS _ord, row_now._ts AS _ts, inline(array(
      struct(row_now.content AS content, 1L AS weight),
      struct(row_before.content AS content, -1L AS weight)))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
  WHERE NOT (row_now.content <=> row_before.content)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    if(sum(weight) = 0, NULL, named_struct('a0', sum(weight), 'a1', if(sum(if(content.argument1 IS NULL, 0L, weight)) = 0, NULL, try_cast(sum(CAST(content.argument1 AS BIGINT) * weight) AS BIGINT)), 'a2', if(sum(if(content.argument2 IS NULL, 0L, weight)) = 0, NULL, CAST(sum(CAST(content.argument2 AS BIGINT) * weight) AS DOUBLE) / sum(if(content.argument2 IS NULL, 0L, weight))))) AS v0
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
      if(_live, named_struct('n', v0.`a0`, 'spent', v0.`a1`, 'mean', v0.`a2`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of table_aggregation
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to table_aggregation in update mode
SELECT line FROM written_13;
