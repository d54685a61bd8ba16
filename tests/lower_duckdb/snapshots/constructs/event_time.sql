-- # event_time
-- event_time
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'at': v."at"} END AS v0
  FROM "topic payments" AS t
),
at_2 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(v0."at" BETWEEN 0 AND 253402300799999, FALSE) THEN v0."at" ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM scan_1 AS t
),
members_3 AS (
  SELECT t.*, v0."item" AS _group
  FROM at_2 AS t WHERE v0 IS NOT NULL
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
arrived_5 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_4 AS t
),
spread_6 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 60000 THEN 0 ELSE ((_ts - 60000) // 60000 + 1) * 60000 END, _ts + 1, 60000)) AS start
  FROM arrived_5 AS t
),
windows_7 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 60000 AS stop FROM spread_6 WHERE NOT coalesce(start + 86460000 <= seen, FALSE))
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;
