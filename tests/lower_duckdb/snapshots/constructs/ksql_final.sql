-- # ksql_final
-- ksql_final
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic sales" AS t
),
members_2 AS (
  SELECT t.*, v0."ITEM" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 60000 THEN 0 ELSE ((_ts - 60000) // 60000 + 1) * 60000 END, _ts + 1, 60000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 60000 AS stop FROM spread_5 WHERE NOT coalesce(start + 120000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'N': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;
