-- # ksql_lists
-- ksql_lists
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic sales" AS t
),
members_2 AS (
  SELECT t.*, v0."ITEM" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v0."PRICE" ORDER BY t._ord) FILTER (v0."PRICE" IS NOT NULL))[-2:], []), 'a1': coalesce((list_transform([list(v0."PRICE" ORDER BY t._ord)], lambda v: list_filter(v, lambda y, i: CASE WHEN y IS NULL THEN len(list_filter(v[1:i - 1], lambda z: z IS NULL)) = 0 ELSE list_position(v, y) = i END))[1])[1:1000], []), 'a2': count(DISTINCT v0."PRICE"), 'a3': coalesce((list(v0."PRICE" ORDER BY v0."PRICE" DESC) FILTER (v0."PRICE" IS NOT NULL))[1:2], []), 'a4': map_from_entries(coalesce(list_transform(map_entries(histogram(k0) FILTER (k0 IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'LATEST': v0."a0", 'PRICES': v0."a1", 'DIFFERENT': v0."a2", 'MOST': v0."a3", 'IDS': v0."a4"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;
