-- # sessions
-- sessions
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, v0."item" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(_ts) OVER (PARTITION BY _case ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
gaps_5 AS (
  SELECT *, coalesce(_ts - lag(_ts) OVER (PARTITION BY _case, _group ORDER BY _ts, _ord) > 60000, TRUE) AS opens
  FROM arrived_4 WHERE NOT coalesce(_ts + 60000 <= seen, FALSE)
),
sessions_6 AS (
  SELECT *, count(*) FILTER (opens) OVER (PARTITION BY _case, _group ORDER BY _ts, _ord) AS session FROM gaps_5
),
windows_7 AS (
  SELECT * EXCLUDE (_group, seen, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(_ts) OVER (PARTITION BY _case, _group, session) AS start, max(_ts) OVER (PARTITION BY _case, _group, session) AS stop FROM sessions_6)
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
