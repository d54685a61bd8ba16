-- # table_table_rekeyed
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query table_table_rekeyed.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of items, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, if(_line RLIKE '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(NOT _s, _line, NULL)) OR ((contains(if(NOT _s, _line, NULL), '\\ud') OR contains(if(NOT _s, _line, NULL), '\\uD')) AND if(NOT _s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'items'))
),
-- one column for each facet of each side
records_3 AS (
  SELECT _s, if(_r0 IS NULL, _r1.ordinal, _r0.ordinal) AS _ord,
    if(_r0 IS NULL, _r1.timestamp, _r0.timestamp) AS _ts, _s AND _r0.value IS NOT NULL OR NOT _s AND _r1.value IS NOT NULL AS _live,
    _r0.key AS k0, _r0.value AS v0, _r1.key AS k1, _r1.value AS v1
  FROM parsed_2
),
-- what tells rows apart
identified_4 AS (
  SELECT *, k0 AS _i0 FROM records_3
)
-- what tells rows apart
SELECT *, k1 AS _i1 FROM identified_4;
-- counted_6: identified_5, counting count_if(if(_s, _i0 IS NULL, _i1 IS NULL)) AS `null key`
CREATE TEMPORARY VIEW written_24 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, k0, k1) AS join_value, FALSE AS preserved
  FROM counted_6 WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)
),
-- a null joins nothing, and a side that the join does not preserve has no such row
rows_8 AS (
  SELECT row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(
      struct(join_value, if(join_value IS NULL, row_id, NULL) AS row_id) AS meeting,
      if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,
      if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content
  FROM met_7
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_9 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, content)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM rows_8 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_10 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_9
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_11 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_10 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_12 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_11
),
-- each version with its end
versions_13 AS (
  SELECT * FROM (SELECT row_id, inline(transform(versions, (v, number) -> struct(
      v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,
      get(versions, number + 1).ordinal AS end_ordinal,
      if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,
      if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))
    FROM successions_12)
  WHERE meeting IS NOT NULL
),
-- with all versions from before this batch
history_14 AS (
  SELECT meeting,
    collect_list(struct(
      batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM versions_13) GROUP BY meeting
),
-- with the time of this batch
entries_15 AS (
  SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS now FROM history_14
),
-- what is new, and what it may meet
touched_16 AS (
  SELECT meeting, now, filter(all_versions, e -> e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)) AS all_versions FROM (
    SELECT *, exists(all_versions, e -> e.batch_time = now AND e.left_row IS NULL) AS old_left,
      exists(all_versions, e -> e.batch_time = now AND e.right_row IS NULL) AS old_right
    FROM entries_15 WHERE exists(all_versions, e -> e.row_id.is_left) AND exists(all_versions, e -> NOT e.row_id.is_left)
  )
),
-- an end of a later batch follows its start
in_order_17 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM touched_16
),
-- each version with the end that it has had by now
ends_18 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_17
),
-- the versions that live, or have ended just now
living_19 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_18
),
-- the versions of both sides that may meet
sides_20 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_19
),
-- the pairs that come and go
changes_21 AS (
  SELECT inline(filter(concat(
    flatten(transform(left_versions, left_version -> flatten(transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal)),
      right_version -> array(if(left_version.began_now OR right_version.began_now,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.ordinal > right_version.ordinal, left_version.ordinal || right_version.ordinal, right_version.ordinal || left_version.ordinal) AS ordinal, TRUE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL),
        if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,
        struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, least(left_version.end_ordinal, right_version.end_ordinal) AS ordinal, FALSE AS live,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row), NULL))))))), c -> c IS NOT NULL))
  FROM sides_20
),
-- one row for each
join_22 AS (
  SELECT row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changes_21
),
-- the projections; a row whose whole value is null is deleted
project_23 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', v1.`label`, 'x1', named_struct('item', v0.`item`)), NULL) AS new_value
    FROM join_22)
)
-- the lines of _lsqlc.table_table_rekeyed.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_23;
-- written to _lsqlc.table_table_rekeyed.1 in update mode
SELECT line FROM written_24;

-- query table_table_rekeyed
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.table_table_rekeyed.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.table_table_rekeyed.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRING, value STRUCT<`x0`: STRING, `x1`: STRUCT<`item`: STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.table_table_rekeyed.1'
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
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
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
  SELECT inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(last_change) AS _ord, content.new_key AS k0,
    max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE content.new_key IS NOT NULL GROUP BY content.new_key
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of table_table_rekeyed
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to table_table_rekeyed in update mode
SELECT line FROM written_15;
