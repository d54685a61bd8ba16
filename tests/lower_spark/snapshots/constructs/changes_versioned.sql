-- # changes_versioned
-- strategy: STREAM aggregation, native
-- strategy: LATERAL on a TABLE: the elements that each version of a row brings and takes, native
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query changes_versioned.stage1
-- keeps one row per group: item, with all its values, of which the lists are made, growing with updates
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
SELECT _ord, _ts, k0, v0, named_struct('item', v0.`item`) AS _group
FROM filter_5;
-- counted_7: grouped_6, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_11 AS
WITH
-- records without a group do not count
members_8 AS (
  SELECT * FROM counted_7 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_9 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', array_sort(transform(sort_array(collect_list(struct(_ord AS ordinal, named_struct('o0', v0.`price`, 'deleted', CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END, 'c0', v0.`price`, 'c1', v0.`note`, 'c2', v0.`tags`) AS item)) FILTER (WHERE named_struct('o0', v0.`price`, 'deleted', CASE WHEN (v0.`note` = 'y') THEN TRUE ELSE FALSE END, 'c0', v0.`price`, 'c1', v0.`note`, 'c2', v0.`tags`) IS NOT NULL)), e -> e.item), (a, b) -> CASE WHEN a.o0 IS NULL AND b.o0 IS NOT NULL THEN -1 WHEN a.o0 IS NOT NULL AND b.o0 IS NULL THEN 1 WHEN a.o0 < b.o0 THEN -1 WHEN a.o0 > b.o0 THEN 1 ELSE 0 END)) AS v0
  FROM members_8 GROUP BY _group
),
-- a null value deletes
rows_10 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_9
)
-- the lines of _lsqlc.changes_versioned.1
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_10;
-- written to _lsqlc.changes_versioned.1 in update mode
SELECT line FROM written_11;

-- query changes_versioned.stage2
-- keeps the versions of each row in its two newest batches, by STRUCT<item: STRING>
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.changes_versioned.1 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.changes_versioned.1, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRUCT<`item`: STRING>, value STRUCT<`a0`: ARRAY<STRUCT<`o0`: INT, `deleted`: BOOLEAN, `c0`: INT, `c1`: STRING, `c2`: ARRAY<STRING>>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.changes_versioned.1'
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
-- each row with its elements
held_6 AS (
  SELECT k0 AS row_id, _ord AS ordinal, _ts AS event_time, k0, v0,
    if(_live, coalesce(get(transform(array(filter(v0.`a0`, (each, each_index) -> CASE WHEN (try_add(each_index, 1) = size(v0.`a0`)) THEN TRUE ELSE (named_struct('o0', (each).`o0`) <> named_struct('o0', (get(v0.`a0`, try_cast(try_add(each_index, 1) AS INT))).`o0`)) END)), counted -> get(transform(array(transform(counted, (change, change_index) -> named_struct('__START_AT', (change).`o0`, '__END_AT', CASE WHEN (try_add(change_index, 1) = size(counted)) THEN CAST(NULL AS INT) ELSE (get(counted, try_cast(try_add(change_index, 1) AS INT))).`o0` END, 'is_first', ((NOT (change).`deleted`) AND CASE WHEN (change_index = 0) THEN TRUE ELSE (((get(counted, try_cast(try_add(change_index, CAST(-1 AS INT)) AS INT))).`deleted` OR (change).`deleted`) OR (named_struct('t0', (get(counted, try_cast(try_add(change_index, CAST(-1 AS INT)) AS INT))).`c0`, 't1', (get(counted, try_cast(try_add(change_index, CAST(-1 AS INT)) AS INT))).`c1`, 't2', (get(counted, try_cast(try_add(change_index, CAST(-1 AS INT)) AS INT))).`c2`) <> named_struct('t0', (change).`c0`, 't1', (change).`c1`, 't2', (change).`c2`))) END), 'is_last', ((NOT (change).`deleted`) AND CASE WHEN (try_add(change_index, 1) = size(counted)) THEN TRUE ELSE (((change).`deleted` OR (get(counted, try_cast(try_add(change_index, 1) AS INT))).`deleted`) OR (named_struct('t0', (change).`c0`, 't1', (change).`c1`, 't2', (change).`c2`) <> named_struct('t0', (get(counted, try_cast(try_add(change_index, 1) AS INT))).`c0`, 't1', (get(counted, try_cast(try_add(change_index, 1) AS INT))).`c1`, 't2', (get(counted, try_cast(try_add(change_index, 1) AS INT))).`c2`))) END), 'c0', (change).`c0`, 'c1', (change).`c1`, 'c2', (change).`c2`))), marked -> get(transform(array(transform(filter(marked, first_change -> (first_change).`is_first`), first_change -> (first_change).`__START_AT`)), starts -> transform(filter(marked, last_change -> (last_change).`is_last`), (last_change, last_index) -> named_struct('__START_AT', get(starts, try_cast(last_index AS INT)), '__END_AT', (last_change).`__END_AT`, 'c0', (last_change).`c0`, 'c1', (last_change).`c1`, 'c2', (last_change).`c2`))), 0)), 0)), 0), array()), array()) AS elements
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_7 AS (
  SELECT row_id, stretch, batch_versions FROM (
    SELECT row_id, stretch, nth,
      collect_list(struct(ordinal, event_time, k0, v0, elements)) OVER (PARTITION BY row_id, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY ordinal) AS nth FROM (SELECT * FROM held_6 DISTRIBUTE BY row_id)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT row_id, flatten(batch_versions) AS batch_versions FROM (
    SELECT row_id, stretch,
      collect_list(batch_versions) OVER (PARTITION BY row_id ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_7
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT row_id, max_by(batch_versions, try_element_at(batch_versions, -1).ordinal, 2) AS newest_batches FROM batch_8 GROUP BY row_id
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT row_id,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_9
),
-- the elements that each version brings, and takes away when it ends
changes_11 AS (
  SELECT versions, inline(flatten(transform(versions, (v, version_number) -> concat(
    if(version_number >= size(versions) - new_count,
      transform(v.elements, (element, number) -> struct(array(v.ordinal, CAST(number AS BIGINT)) AS ordinal, v.event_time AS event_time, TRUE AS live,
        struct(row_id AS row, CAST(number AS BIGINT) AS index) AS row_id, version_number, element)), array()),
    if(version_number + 1 < size(versions),
      transform(v.elements, (element, number) -> struct(array(get(versions, version_number + 1).ordinal) AS ordinal, v.event_time AS event_time, FALSE AS live,
        struct(row_id AS row, CAST(number AS BIGINT) AS index) AS row_id, version_number, element)), array())))))
  FROM successions_10
),
-- a row for each element
lateral_12 AS (
  SELECT ordinal AS _ord, event_time AS _ts, live AS _live, row_id AS _id, get(versions, version_number).k0 AS k0, get(versions, version_number).v0 AS v0,
    CAST(NULL AS INT) AS k1, element AS v1
  FROM changes_11
),
-- the projections; a row whose whole value is null is deleted
project_13 AS (
  SELECT _id, _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('x0', named_struct('item', k0.`item`, '__START_AT', v1.`__START_AT`), 'x1', named_struct('item', k0.`item`, 'price', v1.`c0`, 'note', v1.`c1`, 'tags', v1.`c2`, '__START_AT', v1.`__START_AT`, '__END_AT', v1.`__END_AT`)), NULL) AS new_value
    FROM lateral_12)
),
-- the rows by what tells them apart
passed_14 AS (
  SELECT _ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0
  FROM project_13
)
-- the lines of _lsqlc.changes_versioned.2
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM passed_14;
-- written to _lsqlc.changes_versioned.2 in update mode
SELECT line FROM written_15;

-- query changes_versioned
-- keeps the versions of each row in its two newest batches, by old key
-- keeps what is or was mapped to each new key, growing with updates
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of _lsqlc.changes_versioned.2 as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of _lsqlc.changes_versioned.2, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(from_json(_line, 'ordinal ARRAY<BIGINT>, timestamp BIGINT, key STRUCT<`row`: STRUCT<`item`: STRING>, `index`: BIGINT>, value STRUCT<`k`: STRUCT<`item`: STRING>, `v`: STRUCT<`x0`: STRUCT<`item`: STRING, `__START_AT`: INT>, `x1`: STRUCT<`item`: STRING, `price`: INT, `note`: STRING, `tags`: ARRAY<STRING>, `__START_AT`: INT, `__END_AT`: INT>>>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM lines_1 WHERE _topic = '_lsqlc.changes_versioned.2'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_20 AS
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
-- each row with its new key
moved_7 AS (
  SELECT _ord, _ts, _id AS k0, if(_live, named_struct('new_key', v0.`x0`, 'new_value', v0.`x1`), NULL) AS content
  FROM project_6
),
-- all versions of a row in this batch, in order: by stretches of 64 rows, so that many rows of one key cost little more for each
stretches_8 AS (
  SELECT k0, stretch, batch_versions FROM (
    SELECT k0, stretch, nth,
      collect_list(struct(_ord, _ts, content)) OVER (PARTITION BY k0, stretch ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM (SELECT *, (nth - 1) DIV 64 AS stretch FROM (
      SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord) AS nth FROM (SELECT * FROM moved_7 DISTRIBUTE BY k0)))
  ) WHERE nth % 64 = 1
),
-- all versions of a row in this batch, in order
batch_9 AS (
  SELECT k0, flatten(batch_versions) AS batch_versions FROM (
    SELECT k0, stretch,
      collect_list(batch_versions) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS batch_versions
    FROM stretches_8
  ) WHERE stretch = 0
),
-- and the versions of the batch before that touched the row
versions_10 AS (
  SELECT k0, max_by(batch_versions, try_element_at(batch_versions, -1)._ord, 2) AS newest_batches FROM batch_9 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_11 AS (
  SELECT k0,
    concat(if(get(newest_batches, 1) IS NULL, array(), slice(get(newest_batches, 1), -1, 1)), get(newest_batches, 0)) AS versions,
    size(get(newest_batches, 0)) AS new_count
  FROM versions_10
),
-- each version, and whether a later one ended it
ended_12 AS (
  SELECT k0, inline(transform(versions, (v, i) -> struct(
    v._ord AS _ord, v._ts AS _ts, v.content AS content,
    i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))
  FROM successions_11
),
-- what lives under each new key, and what has left
counting_13 AS (
  SELECT content.new_key AS new_key, _ts,
    struct(last_change, k0 AS row_id, if(array_contains(_ord, -1L), slice(_ord, CAST(size(_ord) - array_position(reverse(_ord), -1L) + 2 AS INT), size(_ord)), _ord) AS row_rank, if(ended, NULL, TRUE) AS lives) AS _ord,
    content.new_value AS new_value
  FROM ended_12 WHERE content.new_key IS NOT NULL
),
-- all that was ever mapped to a key
mapped_14 AS (
  SELECT new_key,
    collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries
  FROM (SELECT *, get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0) AS batch_time FROM counting_13) GROUP BY new_key
),
-- one row for each change of it
each_15 AS (
  SELECT new_key, inline(entries) FROM mapped_14
),
-- how each stands now
latest_16 AS (
  SELECT * FROM (
    SELECT *, max(entry.last_change) OVER (PARTITION BY new_key) AS last_change,
      row_number() OVER (PARTITION BY new_key, entry.row_id, entry.row_rank
        ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM each_15
  ) WHERE nth = 1
),
-- of those that count the one with the highest rank
newest_17 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY new_key
      ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice
    FROM latest_16
  ) WHERE choice = 1
),
-- a key whose newest row has left is deleted
rekeyed_18 AS (
  SELECT last_change AS _ord, event_time AS _ts, new_key AS k0,
    if(entry.lives, new_value, NULL) AS v0 FROM newest_17
),
-- a null value deletes
rows_19 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_18
)
-- the lines of changes_versioned
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_19;
-- written to changes_versioned in update mode
SELECT line FROM written_20;
