-- # ksql_lists
-- strategy: STREAM aggregation, native
-- query ksql_lists
-- keeps one row per group: STRING, with all its values, of which the lists are made, growing with updates
-- lines_1: the lines of sales as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of sales, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING, `PRICE`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sales\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'sales\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'sales'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`ITEM` AS _group
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
    named_struct('a0', coalesce(transform(reverse(max_by(struct(v0.`PRICE` AS item), _ord, 2) FILTER (WHERE v0.`PRICE` IS NOT NULL)), e -> e.item), array()), 'a1', slice(array_distinct(transform(sort_array(collect_list(struct(_ord AS ordinal, v0.`PRICE` AS item))), e -> e.item)), 1, 1000), 'a2', CAST(size(collect_set(v0.`PRICE`)) AS BIGINT), 'a3', coalesce(max_by(v0.`PRICE`, v0.`PRICE`, 2) FILTER (WHERE v0.`PRICE` IS NOT NULL), array()), 'a4', map_from_entries(sort_array(transform(if(aggregate(coalesce(approx_top_k(k0, 1000000, 1000000) FILTER (WHERE k0 IS NOT NULL), array()), 0L, (s, e) -> s + e.count) = count_if(k0 IS NOT NULL), coalesce(approx_top_k(k0, 1000000, 1000000) FILTER (WHERE k0 IS NOT NULL), array()), raise_error('HISTOGRAM cannot count 1000000 different values of a group')), e -> struct(e.item AS value, e.count AS occurs))))) AS v0
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
      if(_live, named_struct('LATEST', v0.`a0`, 'PRICES', v0.`a1`, 'DIFFERENT', v0.`a2`, 'MOST', v0.`a3`, 'IDS', v0.`a4`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of ksql_lists
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to ksql_lists in update mode
SELECT line FROM written_10;
