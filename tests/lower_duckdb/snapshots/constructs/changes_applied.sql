-- # changes_applied
-- changes_applied
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0 IS NOT NULL)
),
filter_3 AS (
  SELECT * FROM filter_2 AS t
  WHERE v0 IS NOT NULL AND ((v0."item" IS NOT NULL) AND (v0."price" IS NOT NULL))
),
members_4 AS (
  SELECT t.*, v0."item" AS _group
  FROM filter_3 AS t WHERE v0 IS NOT NULL
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': (list({'deleted': CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END, 'c0': v0."price", 'c1': v0."tags"} ORDER BY v0."price" DESC NULLS LAST, t._ord DESC))[1], 'a1': (list(CASE WHEN (CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END OR (v0."note" IS NOT NULL)) THEN {'c0': CASE WHEN CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END THEN CAST(NULL AS VARCHAR) ELSE v0."note" END} ELSE CAST(NULL AS STRUCT("c0" VARCHAR)) END ORDER BY v0."price" DESC NULLS LAST, t._ord DESC) FILTER (CASE WHEN (CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END OR (v0."note" IS NOT NULL)) THEN {'c0': CASE WHEN CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END THEN CAST(NULL AS VARCHAR) ELSE v0."note" END} ELSE CAST(NULL AS STRUCT("c0" VARCHAR)) END IS NOT NULL))[1]} AS v0
  FROM rows_5 AS t GROUP BY _case, _group
),
filter_7 AS (
  SELECT * FROM groups_6 AS t
  WHERE (NOT v0."a0"."deleted")
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': k0, 'price': v0."a0"."c0", 'note': v0."a1"."c0", 'tags': v0."a0"."c1"} AS v0
    FROM filter_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;
