-- # having
-- strategy: STREAM aggregation, native
-- query having
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `price`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW written_11 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_7 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*), 'a1', try_cast(sum(CAST(v0.`price` AS BIGINT)) AS BIGINT)) AS v0
  FROM members_6 GROUP BY _group
),
-- a null value deletes
rows_8 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_7
),
-- a row that does not satisfy the condition is deleted
filter_9 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a0` > CAST('1' AS BIGINT)), FALSE) AS _live,
    k0, v0
  FROM rows_8
),
-- the projections; a row whose whole value is null is deleted
project_10 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`, 'spent', v0.`a1`), NULL) AS new_value
    FROM filter_9)
)
-- the lines of having
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to having in update mode
SELECT line FROM written_11;
