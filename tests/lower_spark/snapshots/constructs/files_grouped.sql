-- # files_grouped
-- strategy: STREAM aggregation, native
-- query files_grouped
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- rows_1: meter, level of the csv files in data/readings, as they come
CREATE TEMPORARY VIEW grouped_9 AS
WITH
-- where each file lies below the topic's root
placed_2 AS (
  SELECT *, if(length(_path) > 13, substring(_path, 15), substring_index(_path, '/', -1)) AS _fqn FROM rows_1
),
-- the columns of the file's path
pathed_3 AS (
  SELECT *, substring_index(_fqn, '/', -1) AS `s_filename` FROM placed_2
),
-- the columns of readings that are asked for
valued_4 AS (
  SELECT _path, _at, `s_filename`, _bad, _text, t0, t1,
    inline(array(struct(t0 AS c0, if(t1 RLIKE '^(?:[+-]?[0-9]{1,25})\\z', try_cast(t1 AS INT), NULL) AS c1)))
  FROM pathed_3
),
-- what is wrong with them
typed_5 AS (
  SELECT _path, _at, `s_filename`, c0, c1,
    coalesce(_bad, nullif(concat_ws('; ', if(c1 IS NULL AND t1 IS NOT NULL, 'level: expected INT', NULL)), '')) AS _bad, coalesce(_text, to_json(array(t0, t1), map('ignoreNullFields', 'false'))) AS _text
  FROM valued_4
),
-- a record has a time
timely_6 AS (
  SELECT * EXCEPT (_bad), coalesce(_bad, if(_at BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) AS _bad
  FROM typed_5
),
-- a row that cannot be read stops the query
good_7 AS (
  SELECT * FROM timely_6 WHERE if(_bad IS NULL, TRUE, raise_error(concat('\'readings\' cannot be read: ', _path, ': ', _bad, ': ', coalesce(_text, ''))))
),
-- one column for each facet; the ordinal begins with the file's modification time
records_8 AS (
  SELECT array(_at div 1000 + 100000000000L, _at % 1000 * 4398046511104L + CAST(conv(substring(md5(_path), 1, 10), 16, 10) AS BIGINT), monotonically_increasing_id()) AS _ord, _at AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('meter', c0, 'level', c1) AS v0
  FROM good_7
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`meter` AS _group
FROM records_8;
-- counted_10: grouped_9, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_15 AS
WITH
-- records without a group do not count
members_11 AS (
  SELECT * FROM counted_10 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_12 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*), 'a1', try_cast(sum(CAST(v0.`level` AS BIGINT)) AS BIGINT)) AS v0
  FROM members_11 GROUP BY _group
),
-- a null value deletes
rows_13 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_12
),
-- the projections; a row whose whole value is null is deleted
project_14 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`, 'levels', v0.`a1`), NULL) AS new_value
    FROM rows_13)
)
-- the lines of files_grouped
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_14;
-- written to files_grouped in update mode
SELECT line FROM written_15;
