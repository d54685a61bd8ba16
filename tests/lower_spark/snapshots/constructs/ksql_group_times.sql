-- # ksql_group_times
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query ksql_group_times.groups
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of prices as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of prices, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'prices'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`ITEM`), NULL) AS content
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
    named_struct('a0', sum(weight)) AS v0
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
      if(_live, named_struct('N', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of groups
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to groups in update mode
SELECT line FROM written_15;

-- query ksql_group_times.ksql_group_times
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of prices as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of prices, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|ITEM)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`ITEM`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'prices\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'prices'
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`ITEM`), NULL) AS content
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
    named_struct('a0', sum(weight)) AS v0
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
      if(_live, named_struct('N', v0.`a0`), NULL) AS new_value
    FROM rows_13)
),
-- the projections; a row whose whole value is null is deleted
project_15 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('N', v0.`N`, 'AT', _ts), NULL) AS new_value
    FROM project_14)
)
-- the lines of ksql_group_times
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_15;
-- written to ksql_group_times in update mode
SELECT line FROM written_16;
