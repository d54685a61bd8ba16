-- # groups_below_new_keys
-- strategy: TABLE aggregation: weighted changes of each row, native
-- strategy: TABLE with TABLE: pairs of the versions that live at the same time, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query groups_below_new_keys.stage1
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
-- the lines of _lsqlc.groups_below_new_keys.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to _lsqlc.groups_below_new_keys.1 in update mode
SELECT line FROM written_15;

-- query groups_below_new_keys
-- keeps the versions of each row of both sides in its two newest batches
-- keeps all versions of the rows of both sides, by what joins them: STRING, growing with updates
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.groups_below_new_keys.1, items as one stream, in order of arrival
CREATE TEMPORARY VIEW identified_5 AS
WITH
-- the records of both topics, in order of arrival
parsed_2 AS (
  SELECT _s,
    inline(array(struct(get(transform(array(from_json(if(_s, if(_line RLIKE '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|label)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`label`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(if(_s, _line, NULL)) OR ((contains(if(_s, _line, NULL), '\\ud') OR contains(if(_s, _line, NULL), '\\uD')) AND if(_s, _line, NULL) RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'items\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0) AS _r0, from_json(if(NOT _s, _line, NULL), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`n`: BIGINT>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')) AS _r1)))
  FROM (SELECT *, _topic = 'items' AS _s FROM lines_1 WHERE _topic IN ('items', '_lsqlc.groups_below_new_keys.1'))
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
CREATE TEMPORARY VIEW written_33 AS
WITH
-- the rows of both sides, by what joins them
met_7 AS (
  SELECT struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id,
    array(_ord) AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,
    if(_s, v0.`label`, k1) AS join_value, _s AS preserved
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
-- an end of a later batch follows its start
in_order_16 AS (
  SELECT *, sort_array(transform(all_versions, (e, place) -> struct(
    e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time, place))) AS sorted
  FROM entries_15
),
-- each version with the end that it has had by now
ends_17 AS (
  SELECT meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(
      array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,
        struct(e.place AS place, after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now),
        struct(e.place AS place, e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now))), 0)) AS ends
  FROM in_order_16
),
-- the versions that live, or have ended just now
living_18 AS (
  SELECT meeting, now, all_versions, filter(ends, e -> (e.end_ordinal IS NULL OR e.ended_now)
      AND (get(all_versions, e.place).left_row IS NOT NULL
      OR get(all_versions, e.place).right_row IS NOT NULL)) AS ends
  FROM ends_17
),
-- the versions of both sides that may meet
sides_19 AS (
  SELECT meeting,
    transform(filter(ends, e -> get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.left_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.left_row AS content)), 0)) AS left_versions,
    transform(filter(ends, e -> NOT get(all_versions, e.place).row_id.is_left),
      e -> get(transform(array(get(all_versions, e.place)), v -> struct(
          v.row_id.right_id AS row_id, v.ordinal AS ordinal, if(array_contains(v.ordinal, -1L), slice(v.ordinal, CAST(size(v.ordinal) - array_position(reverse(v.ordinal), -1L) + 2 AS INT), size(v.ordinal)), v.ordinal) AS row_rank, v.event_time AS event_time,
          e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,
          v.right_row AS content)), 0)) AS right_versions
  FROM living_18
),
-- the versions as they were before this batch
before_20 AS (
  SELECT *, transform(filter(left_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS left_before,
    transform(filter(right_versions, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,
      v.row_rank AS row_rank, v.event_time AS event_time,
      if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,
      v.ended_now AS ended_now, v.content AS content)) AS right_before,
    array_max(flatten(transform(left_versions, v -> array(v.ordinal, v.end_ordinal)) || transform(right_versions, v -> array(v.ordinal, v.end_ordinal)))) AS last_change
  FROM sides_19
),
-- the times in which a side has no row to meet
gaps_21 AS (
  SELECT *,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_versions, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_versions, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_versions,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_versions, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(left_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(left_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(left_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(left_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS left_gaps_before,
    filter(concat(
      array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, array_min(transform(right_before, version -> version.ordinal)) AS closes)),
      transform(filter(array_distinct(transform(filter(right_before, version -> version.end_ordinal IS NOT NULL), version -> version.end_ordinal)),
        opens -> NOT exists(right_before,
          version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens))),
        opens -> struct(opens AS opens, array_min(transform(filter(right_before, version -> version.ordinal > opens), version -> version.ordinal)) AS closes))),
      gap -> gap.opens IS NULL OR gap.closes IS NULL OR get(gap.opens, 0) < get(gap.closes, 0)) AS right_gaps_before
  FROM before_20
),
-- what counts now, and what counted before this batch
counting_22 AS (
  SELECT last_change, is_now, inline(if(is_now,
    concat(
      flatten(transform(left_versions, left_version -> transform(
      filter(right_versions, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_versions, lone -> lone.end_ordinal IS NULL AND exists(right_gaps, gap -> gap.closes IS NULL)), lone -> struct(
        struct(lone.row_id AS l, get(right_versions, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_versions, -1).content AS right_row))),
    concat(
      flatten(transform(left_before, left_version -> transform(
      filter(right_before, right_version -> (right_version.end_ordinal IS NULL OR left_version.ordinal < right_version.end_ordinal)
        AND (left_version.end_ordinal IS NULL OR right_version.ordinal < left_version.end_ordinal) AND ((left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL))),
      right_version -> struct(struct(left_version.row_id AS l, right_version.row_id AS r) AS row_id, if(left_version.row_rank > right_version.row_rank, left_version.row_rank || right_version.row_rank, right_version.row_rank || left_version.row_rank) AS row_rank, left_version.end_ordinal IS NULL AND right_version.end_ordinal IS NULL AS lives,
        greatest(left_version.event_time, right_version.event_time) AS event_time, left_version.content AS left_row, right_version.content AS right_row)))),
      transform(filter(left_before, lone -> lone.end_ordinal IS NULL AND exists(right_gaps_before, gap -> gap.closes IS NULL)), lone -> struct(
        struct(lone.row_id AS l, get(right_before, -1).row_id AS r) AS row_id, lone.row_rank AS row_rank, lone.end_ordinal IS NULL AND exists(right_gaps_before, gap -> gap.closes IS NULL) AS lives,
        lone.event_time AS event_time, lone.content AS left_row, get(right_before, -1).content AS right_row)))))
  FROM (SELECT *, explode(array(TRUE, FALSE)) AS is_now FROM gaps_21)
),
-- what of it has changed
changed_23 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY row_id, row_rank ORDER BY is_now DESC) AS nth,
      max(if(is_now, lives, NULL)) OVER (PARTITION BY row_id, row_rank) AS lives_now,
      max(if(is_now, NULL, lives)) OVER (PARTITION BY row_id, row_rank) AS lived_before
    FROM counting_22
  ) WHERE nth = 1 AND NOT lives_now <=> lived_before
),
-- one row for each
join_24 AS (
  SELECT row_id AS _id, struct(last_change, row_id, row_rank, lives_now AS lives) AS _ord,
    event_time AS _ts, TRUE AS _live,
    left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1
  FROM changed_23
),
-- the projections; a row whose whole value is null is deleted
project_25 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, coalesce(k0, k1) AS new_key,
      if(_live, named_struct('x0', v1.`n`, 'x1', named_struct('label', v0.`label`)), NULL) AS new_value
    FROM join_24)
),
-- each with its new key
moved_26 AS (
  SELECT new_key, _ord, _ts, new_value FROM (
    SELECT _ord, _ts, _live, v0.`x0` AS new_key, v0.`x1` AS new_value FROM project_25
  ) WHERE _live AND new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_27 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM moved_26) GROUP BY new_key
),
-- one row for each change of it
each_28 AS (
  SELECT new_key, inline(entries) FROM mapped_27
),
-- how each stands now
latest_29 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_28
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_30 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_29
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_31 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_30
),
-- a null value deletes
rows_32 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_31
)
-- the lines of groups_below_new_keys
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_32;
-- written to groups_below_new_keys in update mode
SELECT line FROM written_33;
