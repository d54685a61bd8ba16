-- # rekeyed_groups
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query rekeyed_groups.stage1
-- keeps the versions of each row in its two newest batches, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
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
CREATE TEMPORARY VIEW written_15 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`item`), NULL) AS content
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
-- the sums of the changes; a group without rows is deleted
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    if(sum(weight) = 0, NULL, named_struct('a0', sum(weight))) AS v0
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of _lsqlc.rekeyed_groups.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to _lsqlc.rekeyed_groups.1 in update mode
SELECT line FROM written_15;

-- query rekeyed_groups
-- keeps the versions of each row in its two newest batches, by old key
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.rekeyed_groups.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.rekeyed_groups.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.rekeyed_groups.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_19 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('new_key', v0.`n`, 'new_value', named_struct('item', k0)), NULL) AS content
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_6 DISTRIBUTE BY k0)))
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
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT k0, inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_10
),
-- what lives under each new key, and what has left
counting_12 AS (
  SELECT content.new_key AS new_key, _ts,
    struct(last_change, k0 AS row_id, _ord AS row_rank, if(ended, NULL, TRUE) AS lives) AS _ord,
    content.new_value AS new_value
  FROM ended_11 WHERE content.new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_13 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM counting_12) GROUP BY new_key
),
-- one row for each change of it
each_14 AS (
  SELECT new_key, inline(entries) FROM mapped_13
),
-- how each stands now
latest_15 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_14
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_16 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_15
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_17 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_16
),
-- a null value deletes
rows_18 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_17
)
-- the lines of rekeyed_groups
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_18;
-- written to rekeyed_groups in update mode
SELECT line FROM written_19;
