-- # table_doubles
-- table_doubles
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
members_3 AS (
  SELECT t.*, v0."item" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': try_cast(coalesce(sum(CAST(v0."paid" AS DOUBLE)) FILTER (NOT isfinite(CAST(v0."paid" AS DOUBLE))), lsqlc_floating_total(list(CAST(v0."paid" AS DOUBLE)) FILTER (isfinite(CAST(v0."paid" AS DOUBLE))))) AS DOUBLE)} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'paid': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;
