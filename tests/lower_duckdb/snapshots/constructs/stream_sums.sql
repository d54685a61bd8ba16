-- # stream_sums
-- stream_sums
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    {'a0': try_cast(coalesce(sum(CAST(v0."paid" AS DOUBLE)) FILTER (NOT isfinite(CAST(v0."paid" AS DOUBLE))), lsqlc_floating_total(list(CAST(v0."paid" AS DOUBLE)) FILTER (isfinite(CAST(v0."paid" AS DOUBLE))))) AS DOUBLE), 'a1': try_cast(coalesce(sum(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (NOT isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))), lsqlc_floating_total(list(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))))) AS DOUBLE), 'a2': try_cast(lsqlc_decimal_total(list(CAST(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) AS VARCHAR)) FILTER (try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) IS NOT NULL)) AS DECIMAL(38,2)), 'a3': avg(v0."at"), 'a4': CAST(coalesce(sum(CAST(v0."paid" AS DOUBLE)) FILTER (NOT isfinite(CAST(v0."paid" AS DOUBLE))), lsqlc_floating_total(list(CAST(v0."paid" AS DOUBLE)) FILTER (isfinite(CAST(v0."paid" AS DOUBLE))))) AS DOUBLE) / nullif(count(v0."paid"), 0), 'a5': CAST(coalesce(sum(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (NOT isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))), lsqlc_floating_total(list(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE)) FILTER (isfinite(CAST(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float) AS DOUBLE))))) AS DOUBLE) / nullif(count(coalesce(try_cast(v0."paid" as float), (case when (v0."paid") > 0 then 'Infinity' when (v0."paid") < 0 then '-Infinity' end)::float)), 0), 'a6': avg(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 20, 2) as DECIMAL(20,2))), 'a7': CAST(lsqlc_decimal_total(list(CAST(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) AS VARCHAR)) FILTER (try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2)) IS NOT NULL)) AS DOUBLE) / nullif(count(try_cast(lsqlc_decimal(lsqlc_double_text(cast(v0."paid" as double)), 35, 2) as DECIMAL(35,2))), 0)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'d': v0."a0", 'f': v0."a1", 'w': v0."a2", 'mb': v0."a3", 'md': v0."a4", 'mf': v0."a5", 'mn': v0."a6", 'mw': v0."a7"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;
