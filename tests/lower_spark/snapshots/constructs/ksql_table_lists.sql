-- # ksql_table_lists
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query ksql_table_lists
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: STRING, with all its changes, of which the lists are made, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of prices as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of prices, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING, `PRICE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'prices'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`ITEM`, 'argument0', k0, 'argument1', v0.`PRICE`), NULL) AS content
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
  SELECT k0 AS _row, row_now._ord AS _ord, row_now._ts AS _ts, inline(concat(array(
      struct(row_now.content AS content, 1L AS weight),
      struct(row_before.content AS content, -1L AS weight)), transform(row_now.groups,
      group_key -> struct(named_struct('group_key', group_key, 'argument0', CAST(NULL AS STRING), 'argument1', CAST(NULL AS INT)) AS content, 0L AS weight))))
  FROM (SELECT k0, get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
),
-- the sums of the changes; a group without rows stays
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', map_from_entries(get(transform(array(sort_array(concat(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight > 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight > 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), transform(transform(if(aggregate(coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), 0L, (s, e) -> s + e.count) = count_if(content.argument0 IS NOT NULL AND weight < 0), coalesce(approx_top_k(content.argument0, 1000000, 1000000) FILTER (WHERE content.argument0 IS NOT NULL AND weight < 0), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs)), e -> struct(e.value AS value, -e.occurs AS occurs))))), counts -> filter(transform(counts, (e, i) -> struct(e.value AS value, e.occurs + if(get(counts, i - 1).value = e.value, get(counts, i - 1).occurs, 0L) AS occurs)), e -> e.occurs > 0)), 0)), 'a1', slice(transform(get(transform(array(sort_array(collect_list(struct(_row, _ord, weight, content.argument1 AS item)))), changes -> filter(changes, (e, i) -> e.weight > 0 AND NOT coalesce(get(changes, i + 1)._row <=> e._row, FALSE))), 0), e -> e.item), 1, 1000)) AS v0
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
      if(_live, named_struct('IDS', v0.`a0`, 'PRICES', v0.`a1`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of ksql_table_lists
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to ksql_table_lists in update mode
SELECT line FROM written_13;
