-- # sessions of a TABLE
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result
-- keeps the two newest versions of each row, by key INT
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`item`), NULL) AS content
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
    if(sum(weight) = 0, NULL, named_struct('a0', sum(weight))) AS v0
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to result in update mode
SELECT line FROM written_13;

-- # a TABLE by name, read as one, by windows
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW grouped_7 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- each change of the table is a record
stream_6 AS (
  SELECT _ord, _ts, k0, if(_live, v0, NULL) AS v0 FROM changes_5
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM stream_6;
-- counted_8: grouped_7, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_10 AS
WITH
-- records without a group do not count
members_9 AS (
  SELECT * FROM counted_8 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_9;
-- timed_11: dated_10 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the watermark is behind the newest time
timely_12 AS (
  SELECT * FROM timed_11
),
-- one row per group and window
windows_13 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '7200000 milliseconds', '3600000 milliseconds') AS _window FROM timely_12)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_14 AS (
  SELECT * FROM windows_13 WHERE k0.start >= 0
),
-- a null value deletes
rows_15 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_14
),
-- the projections; a row whose whole value is null is deleted
project_16 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_15)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to result in update mode
SELECT line FROM written_17;

-- # a join of TABLEs by windows
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query result.stage1
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: INT, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of customers, orders as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`customer_id`: INT, `item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, get(transform(array(from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r1)))
  FROM (SELECT *, _topic = 'orders' AS _s FROM lines_1 WHERE _topic IN ('orders', 'customers'))
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
CREATE TEMPORARY VIEW written_25 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`customer_id`, v1.`id`) AS join_value, FALSE AS preserved
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
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', v0.`item`), NULL) AS new_value
    FROM join_22)
),
-- the rows by what tells them apart
passed_24 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_23
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_24;
-- written to _lsqlc.result.1 in update mode
SELECT line FROM written_25;

-- query result
-- keeps the two newest versions of each row, by key STRUCT<l: INT, r: INT>
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`l`: INT, `r`: INT>, value STRUCT<`k`: INT, `v`: STRUCT<`x0`: STRING>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_14 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- the projections; a row whose whole value is null is deleted
project_6 AS (
  SELECT k0 AS _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, v0.`k` AS new_key,
      if(_live, v0.`v`, NULL) AS new_value
    FROM changes_5)
),
-- of each row only what the groups need
rows_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('group_key', v0.`x0`), NULL) AS content
  FROM project_6
),
-- the newest version of each row in this batch
newest_8 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS nth FROM rows_7
  ) WHERE nth = 1
),
-- each row as it is now, and as it was before this batch
versions_9 AS (
  SELECT k0, max_by(struct(_ord, _ts, content), _ord, 2) AS versions FROM newest_8 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_10 AS (
  SELECT row_now._ord AS _ord, row_now._ts AS _ts, inline(array(
      struct(row_now.content AS content, 1L AS weight),
      struct(row_before.content AS content, -1L AS weight)))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_9)
  WHERE NOT (row_now.content <=> row_before.content)
),
-- the sums of the changes; a group without rows is deleted
groups_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    if(sum(weight) = 0, NULL, named_struct('a0', sum(weight))) AS v0
  FROM changes_10 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_12 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a window of records that are not grouped
-- query result
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`amount`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the projections
project_4 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    if(v0 IS NULL, NULL, named_struct('amount', v0.`amount`)) AS v0
  FROM records_3
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_4;
-- written to result in append mode
SELECT line FROM written_5;

-- # an advance of no length
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '10000 milliseconds', '1000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a session without a gap
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query result
-- keeps one row per open session of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86399999 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '1 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in append mode
SELECT line FROM written_14;

-- # windows without number
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '315360000000 milliseconds', '86400000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a duration beyond all time
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '315576000000000 milliseconds', '315576000000000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a duration of a thousand digits
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '1000 milliseconds', '1000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a duration without unit
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '600000 milliseconds', '600000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a unit that there is not
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '604800000 milliseconds', '604800000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a number apart from its unit
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '300000 milliseconds', '300000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a hopping window without its advance
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '10000 milliseconds', '5000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # a word for a window that there is not
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '10000 milliseconds', '10000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the old form of a tumbling window
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '60000 milliseconds', '60000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the old form of a hopping window, behind a field
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
  FROM (SELECT *, window(_at, '300000 milliseconds', '60000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the old form of a session
-- strategy: STREAM aggregation in session windows, native; a session is written once it is closed
-- query result
-- keeps one row per open session of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86100000 ms behind _at
CREATE TEMPORARY VIEW written_14 AS
WITH
-- the watermark is behind the newest time
timely_9 AS (
  SELECT * FROM timed_8
),
-- one row per group and window
windows_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', max(_ts)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, session_window(_at, '300000 milliseconds') AS _window FROM timely_9)
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in append mode
SELECT line FROM written_14;

-- # the old form of a sliding window
-- strategy: STREAM aggregation, native
-- query result
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to result in update mode
SELECT line FROM written_10;

-- # a window behind the groups
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # grace without a window
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 3600000 ms behind _at
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_13;
-- written to result in update mode
SELECT line FROM written_14;

-- # the bounds of a window within its query
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
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
CREATE TEMPORARY VIEW dated_7 AS
WITH
-- records without a group do not count
members_6 AS (
  SELECT * FROM counted_5 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_6;
-- timed_8: dated_7 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_12)
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('s', k0.`start`, 'n', v0.`n`), NULL) AS new_value
    FROM project_13)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # an event time of another kind
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `big`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the time of each record
at_4 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(v0.`big` BETWEEN 0L AND 253402300799999L, FALSE), v0.`big`, raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM records_3
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM at_4;
-- counted_6: grouped_5, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- records without a group do not count
members_7 AS (
  SELECT * FROM counted_6 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_7;
-- timed_9: dated_8 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_10 AS (
  SELECT * FROM timed_9
),
-- one row per group and window
windows_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_10)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_12 AS (
  SELECT * FROM windows_11 WHERE k0.start >= 0
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # an event time that is an aggregate
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `big`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the time of each record
at_4 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(v0.`big` BETWEEN 0L AND 253402300799999L, FALSE), v0.`big`, raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM records_3
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM at_4;
-- counted_6: grouped_5, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- records without a group do not count
members_7 AS (
  SELECT * FROM counted_6 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_7;
-- timed_9: dated_8 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_10 AS (
  SELECT * FROM timed_9
),
-- one row per group and window
windows_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_10)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_12 AS (
  SELECT * FROM windows_11 WHERE k0.start >= 0
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # an event time of a join
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- strategy: STREAM aggregation, native
-- query result.stage1
-- keeps the records of both sides, for 90000000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT, `item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`id` AS join_value
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of customers as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_12 AS
WITH
-- the records of customers, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`id`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'customers\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'customers'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
),
-- the time of each record
at_11 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(try_cast(v0.`id` as BIGINT) BETWEEN 0L AND 253402300799999L, FALSE), try_cast(v0.`id` as BIGINT), raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM records_10
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM at_11;
-- timed_13: dated_12 with a watermark 90000000 ms behind _at
CREATE TEMPORARY VIEW right_15 AS
WITH
-- the watermark is behind the newest time
timely_14 AS (
  SELECT * FROM timed_13
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  v0.`id` AS join_value
FROM timely_14 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_18 AS
WITH
-- the pairs within the window
join_16 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l JOIN right_15 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 3600000 MILLISECONDS AND l._at + INTERVAL 3600000 MILLISECONDS
),
-- the projections
project_17 AS (
  SELECT _ord, _ts,
    coalesce(k0, k1) AS k0,
    named_struct('x0', v0.`item`) AS v0
  FROM join_16
)
-- the lines of _lsqlc.result.1
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_17;
-- written to _lsqlc.result.1 in append mode
SELECT line FROM written_18;

-- query result
-- keeps one row per group: STRING
-- lines_1: the lines of _lsqlc.result.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_4 AS
WITH
-- the records of _lsqlc.result.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key INT, value STRUCT<`x0`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.result.1'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`x0` AS _group
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
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_8)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_9;
-- written to result in update mode
SELECT line FROM written_10;

-- # an event time from an unqualified key
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: INT
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of pairs as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_5 AS
WITH
-- the records of pairs, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`a`: INT>, value STRUCT<`n`: INT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'pairs\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'pairs'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the time of each record
at_4 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(try_cast(k0.`a` as BIGINT) BETWEEN 0L AND 253402300799999L, FALSE), try_cast(k0.`a` as BIGINT), raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM records_3
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`n` AS _group
FROM at_4;
-- counted_6: grouped_5, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- records without a group do not count
members_7 AS (
  SELECT * FROM counted_6 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_7;
-- timed_9: dated_8 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_10 AS (
  SELECT * FROM timed_9
),
-- one row per group and window
windows_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_10)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_12 AS (
  SELECT * FROM windows_11 WHERE k0.start >= 0
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('c', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;

-- # the clock as the time of what is aggregated
-- strategy: STREAM aggregation in time windows, native; a window is written again whenever it changes
-- query result
-- keeps one row per open window of each group: STRING
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW grouped_5 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key INT, value STRUCT<`item`: STRING, `big`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
),
-- the time of each record
at_4 AS (
  SELECT inline(array(struct(_ord, if(v0 IS NULL, _ts, if(coalesce(v0.`big` BETWEEN 0L AND 253402300799999L, FALSE), v0.`big`, raise_error('a record has no event time from 1970 to 9999'))) AS _ts, k0, v0)))
  FROM records_3
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM at_4;
-- counted_6: grouped_5, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW dated_8 AS
WITH
-- records without a group do not count
members_7 AS (
  SELECT * FROM counted_6 WHERE v0 IS NOT NULL AND _group IS NOT NULL
)
-- the time of each record
SELECT timestamp_millis(_ts) AS _at, _ord, _ts, k0, v0, _group
FROM members_7;
-- timed_9: dated_8 with a watermark 86400000 ms behind _at
CREATE TEMPORARY VIEW written_15 AS
WITH
-- the watermark is behind the newest time
timely_10 AS (
  SELECT * FROM timed_9
),
-- one row per group and window
windows_11 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts,
    named_struct('key', _group, 'start', unix_millis(_window.start), 'end', unix_millis(_window.end)) AS k0,
    named_struct('a0', count(*)) AS v0
  FROM (SELECT *, window(_at, '3600000 milliseconds', '3600000 milliseconds') AS _window FROM timely_10)
  GROUP BY _group, _window
),
-- no window starts before the epoch
since_12 AS (
  SELECT * FROM windows_11 WHERE k0.start >= 0
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM since_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of result
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to result in update mode
SELECT line FROM written_15;
