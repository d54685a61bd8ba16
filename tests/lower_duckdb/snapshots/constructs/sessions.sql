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
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 60000 <= seen, FALSE)
),
links_6 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 60000 FOLLOWING) < t._ts + 60000, FALSE) AS goes_on
  FROM timely_5 AS t
),
gaps_7 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_6 AS t
),
sessions_8 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) AS session
  FROM gaps_7 AS t
),
windows_9 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS stop FROM sessions_8 AS t)
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;
