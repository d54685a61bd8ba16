-- # ksql_group_times
-- groups
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic prices" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."ITEM" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
live_5 AS (
  SELECT * FROM rows_4 WHERE _end IS NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*)} FROM rows_4 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM rows_4
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_6 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'N': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- ksql_group_times
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic prices" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."ITEM" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
times_5 AS (
  SELECT _case, _ord, _ts FROM "topic prices"
),
ends_6 AS (
  SELECT t.*, greatest(t._ts, r._ts) AS _until
  FROM rows_4 AS t
  LEFT JOIN times_5 AS r ON r._case = t._case AND r._ord = t._end
),
latest_7 AS (
  SELECT * REPLACE (max(_until) OVER (PARTITION BY _case, _group) AS _ts) FROM ends_6
),
live_8 AS (
  SELECT * FROM latest_7 WHERE _end IS NULL
),
groups_9 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM live_8 AS t GROUP BY _case, _group
),
with_empty_10 AS (
  SELECT * FROM groups_9
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*)} FROM latest_7 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM latest_7
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_9 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'N': v0."a0"} AS v0
    FROM with_empty_10 AS t
  ) WHERE v0 IS NOT NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'N': v0."N", 'AT': _ts} AS v0
    FROM project_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;
