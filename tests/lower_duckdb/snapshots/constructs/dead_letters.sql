-- # dead_letters
-- dead_letters
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
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;
