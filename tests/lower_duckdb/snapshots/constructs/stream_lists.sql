-- # stream_lists
-- stream_lists
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
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
    {'a0': arg_min_null(v0."price", t._ord), 'a1': arg_max_null(v0."price", t._ord), 'a2': coalesce((list(v0."price" ORDER BY t._ord) FILTER (v0."price" IS NOT NULL))[1:3], []), 'a3': coalesce((list_transform([list(v0."price" ORDER BY t._ord) FILTER (v0."price" IS NOT NULL)], lambda v: list_filter(v, lambda y, i: list_position(v, y) = i))[1])[1:3], []), 'a4': coalesce((list(v0."price" ORDER BY v0."price" DESC) FILTER (v0."price" IS NOT NULL))[1:2], []), 'a5': (list(v0."price" ORDER BY v0."price" ASC) FILTER (v0."price" IS NOT NULL))[1], 'a6': coalesce((list(DISTINCT v0."price" ORDER BY v0."price" DESC) FILTER (v0."price" IS NOT NULL))[1:2], [])} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'f': v0."a0", 'l': v0."a1", 'c': v0."a2", 'u': v0."a3", 'most': v0."a4", 'least': v0."a5", 'm': v0."a6"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;
