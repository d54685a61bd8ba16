-- # table_sums
-- table_sums
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
    {'a0': try_cast(coalesce(sum(CAST(v0."paid" AS DOUBLE)) FILTER (NOT isfinite(CAST(v0."paid" AS DOUBLE))), lsqlc_floating_total(list(CAST(v0."paid" AS DOUBLE)) FILTER (isfinite(CAST(v0."paid" AS DOUBLE))))) AS DOUBLE), 'a1': try_cast(coalesce(sum(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (NOT isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))), lsqlc_floating_total(list(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))))) AS DOUBLE), 'a2': try_cast(lsqlc_decimal_total(list(CAST(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) AS VARCHAR)) FILTER (try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) IS NOT NULL)) AS DECIMAL(38,2)), 'a3': CAST(coalesce(sum(CAST(v0."paid" AS DOUBLE)) FILTER (NOT isfinite(CAST(v0."paid" AS DOUBLE))), lsqlc_floating_total(list(CAST(v0."paid" AS DOUBLE)) FILTER (isfinite(CAST(v0."paid" AS DOUBLE))))) AS DOUBLE) / nullif(count(v0."paid"), 0), 'a4': CAST(coalesce(sum(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (NOT isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))), lsqlc_floating_total(list(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))))) AS DOUBLE) / nullif(count(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float)), 0), 'a5': CAST(lsqlc_decimal_total(list(CAST(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) AS VARCHAR)) FILTER (try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) IS NOT NULL)) AS DOUBLE) / nullif(count(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2))), 0)} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'d': v0."a0", 'f': v0."a1", 'w': v0."a2", 'md': v0."a3", 'mf': v0."a4", 'mw': v0."a5"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;
