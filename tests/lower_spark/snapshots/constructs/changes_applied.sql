-- # changes_applied
-- strategy: STREAM aggregation, native
-- query changes_applied
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_6 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item|note)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])|\\A(?>[\\s\\S]*?(?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[))[\\s\\S]*?(?:[0-9][.eE]|-0)', regexp_replace(regexp_replace(_line, '((?<!\\\\)"(?:key|item|note)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), '((?:(?<!\\\\)"(?:tags)"[ \\t\\r\\n]*:[ \\t\\r\\n]*\\[[ \\t\\r\\n]*+|(?!^)\\G[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)(?:(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|true|false|null|0|-?[1-9][0-9]*+|\\{[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\}|\\[[^{}\\[\\]"]*+(?:"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[^{}\\[\\]"]*+)*+\\])[ \\t\\r\\n]*+,[ \\t\\r\\n]*+)*+)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,\\]}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `price`: INT, `note`: STRING, `tags`: ARRAY<STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the records that satisfy the condition
filter_4 AS (
  SELECT * FROM records_3
  WHERE v0 IS NOT NULL AND (v0 IS NOT NULL)
),
-- the records that satisfy the condition
filter_5 AS (
  SELECT * FROM filter_4
  WHERE v0 IS NOT NULL AND ((v0.`item` IS NOT NULL) AND (v0.`price` IS NOT NULL))
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM filter_5;
-- counted_7: grouped_6, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- records without a group do not count
members_8 AS (
  SELECT * FROM counted_7 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_9 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', max_by(named_struct('deleted', CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END, 'c0', v0.`price`, 'c1', v0.`tags`), struct(v0.`price` AS o0, _ord AS arrival)), 'a1', max_by(CASE WHEN (CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END OR (v0.`note` IS NOT NULL)) THEN named_struct('c0', CASE WHEN CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END THEN CAST(NULL AS STRING) ELSE v0.`note` END) ELSE CAST(NULL AS STRUCT<`c0`: STRING>) END, struct(v0.`price` AS o0, _ord AS arrival)) FILTER (WHERE CASE WHEN (CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END OR (v0.`note` IS NOT NULL)) THEN named_struct('c0', CASE WHEN CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END THEN CAST(NULL AS STRING) ELSE v0.`note` END) ELSE CAST(NULL AS STRUCT<`c0`: STRING>) END IS NOT NULL)) AS v0
  FROM members_8 GROUP BY _group
),
-- a null value deletes
rows_10 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_9
),
-- a row that does not satisfy the condition is deleted
filter_11 AS (
  SELECT _ord, _ts, _live AND coalesce((NOT v0.`a0`.`deleted`), FALSE) AS _live,
    k0, v0
  FROM rows_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('item', k0, 'price', v0.`a0`.`c0`, 'note', v0.`a1`.`c0`, 'tags', v0.`a0`.`c1`), NULL) AS new_value
    FROM filter_11)
)
-- the lines of changes_applied
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to changes_applied in update mode
SELECT line FROM written_13;
