-- # an aggregate without GROUP BY
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # GROUP BY without an aggregate
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', length(k0)), NULL) AS new_value
    FROM filter_9)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to O in update mode
SELECT line FROM written_11;

-- # a column that is not grouped
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING, `AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
    named_struct('a0', max(v0.`AMOUNT`), 'a1', count(*)) AS v0
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`, 'KSQL_COL_1', v0.`a1`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # a column of HAVING that is not grouped
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING, `AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
CREATE TEMPORARY VIEW written_11 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_7 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*), 'a1', max(v0.`AMOUNT`)) AS v0
  FROM members_6 GROUP BY _group
),
-- a null value deletes
rows_8 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_7
),
-- a row that does not satisfy the condition is deleted
filter_9 AS (
  SELECT _ord, _ts, _live AND coalesce((v0.`a1` > 1), FALSE) AS _live,
    k0, v0
  FROM rows_8
),
-- the projections; a row whose whole value is null is deleted
project_10 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM filter_9)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to O in update mode
SELECT line FROM written_11;

-- # an aggregate in GROUP BY
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # an aggregate in WHERE
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM filter_9)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_10;
-- written to O in update mode
SELECT line FROM written_11;

-- # an expression twice
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;

-- # MAX of a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of users as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of users, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING, `BOSS`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'users'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`CITY`, 'argument0', v0.`BOSS`, 'argument1', v0.`BOSS`), NULL) AS content
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
      group_key -> struct(named_struct('group_key', group_key, 'argument0', CAST(NULL AS INT), 'argument1', CAST(NULL AS INT)) AS content, 0L AS weight))))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
),
-- the sums of the changes; a group without rows stays
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    named_struct('a0', if(sum(if(content.argument0 IS NULL, 0L, weight)) = 0, NULL, try_cast(sum(CAST(content.argument0 AS BIGINT) * weight) AS BIGINT)), 'a1', sum(if(content.argument1 IS NULL, 0L, weight))) AS v0
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
      if(_live, named_struct('KSQL_COL_0', CASE WHEN (v0.`a1` = CAST('0' AS BIGINT)) THEN 0 ELSE try_cast(v0.`a0` as INT) END), NULL) AS new_value
    FROM rows_11)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to O in update mode
SELECT line FROM written_13;

-- # a WINDOW without GROUP BY
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query out
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
-- timed_8: dated_7 with a watermark 82800000 ms behind _at
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
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # a WINDOW over a table
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query out
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of users as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of users, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:CITY)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`CITY`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'users\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'users'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`CITY`), NULL) AS content
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to O in update mode
SELECT line FROM written_13;

-- # the bounds of a window in GROUP BY
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query out
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
-- timed_8: dated_7 with a watermark 82800000 ms behind _at
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
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('S', k0.`start`, 'KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # a unit of no time
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query out
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
-- timed_8: dated_7 with a watermark 0 ms behind _at
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
  FROM (SELECT *, window(_at, '1209600000 milliseconds', '1209600000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to O in update mode
SELECT line FROM written_14;

-- # EMIT FINAL without a window
-- strategy: STREAM aggregation, native
-- query out
-- keeps one row per group: INT
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`AMOUNT`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
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
      if(_live, named_struct('KSQL_COL_0', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of O
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to O in update mode
SELECT line FROM written_10;
