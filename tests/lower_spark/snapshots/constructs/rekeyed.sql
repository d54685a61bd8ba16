-- # rekeyed
-- strategy: rekeyed TABLE: the newest version of each new key, native
-- query rekeyed
-- keeps the versions of each row in its two newest batches, by old key
-- keeps the newest version of each new key
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(_line, 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `price`: INT>', map('mode', 'FAILFAST'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, r, raise_error(concat('timestamp', ' of a record of \'orders\': expected a time from 1970 to 9999'))))), 0))) AS _r0
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
-- each row with its new key
moved_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('k', v0.`item`, 'v', named_struct('price', v0.`price`)), NULL) AS p
  FROM changes_5
),
-- all versions of a row in this batch, in order: by stretches of ordinals, so that many rows of one key cost no more for each
stretches_7 AS (
  SELECT k0, stretch, evs FROM (
    SELECT k0, stretch,
      collect_list(struct(_ord, _ts, p)) OVER (PARTITION BY k0, stretch ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0, stretch ORDER BY _ord) AS n
    FROM (SELECT *, _ord DIV 512 AS stretch FROM moved_6 DISTRIBUTE BY k0)
  ) WHERE n = 1
),
-- all versions of a row in this batch, in order
batch_8 AS (
  SELECT k0, flatten(evs) AS evs FROM (
    SELECT k0,
      collect_list(evs) OVER (PARTITION BY k0 ORDER BY stretch ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evs,
      row_number() OVER (PARTITION BY k0 ORDER BY stretch) AS n FROM stretches_7
  ) WHERE n = 1
),
-- and the versions of the batch before that touched the row
versions_9 AS (
  SELECT k0, max_by(evs, try_element_at(evs, -1)._ord, 2) AS hs FROM batch_8 GROUP BY k0
),
-- the versions of each row, behind the one that stood before
successions_10 AS (
  SELECT k0,
    concat(if(get(hs, 1) IS NULL, array(), slice(get(hs, 1), -1, 1)), get(hs, 0)) AS vs,
    size(get(hs, 0)) AS new
  FROM versions_9
),
-- each version, and whether a later one ended it
ended_11 AS (
  SELECT inline(transform(vs, (v, i) -> struct(v._ord AS _ord, v._ts AS _ts, v.p AS p,
    i + 1 < size(vs) AS ended, element_at(vs, -1)._ord AS changed)))
  FROM successions_10
),
-- the newest version ever mapped to a key decides
keys_12 AS (
  SELECT max(changed) AS _ord, p.k AS k0,
    max_by(struct(p.v AS v, _ts AS at, ended), struct(_ord, ended)) AS row
  FROM ended_11 WHERE p.k IS NOT NULL GROUP BY p.k
),
-- a key whose newest version has left is deleted
rekeyed_13 AS (
  SELECT _ord, row.at AS _ts, k0, if(row.ended, NULL, row.v) AS v0 FROM keys_12
),
-- a null value deletes
rows_14 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM rekeyed_13
)
-- the lines of rekeyed
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM rows_14;
-- written to rekeyed in update mode
SELECT line FROM written_15;
