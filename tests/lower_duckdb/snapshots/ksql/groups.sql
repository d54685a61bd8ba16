-- # an aggregate without GROUP BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
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
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # GROUP BY without an aggregate
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
filter_5 AS (
  SELECT * FROM groups_4 AS t
  WHERE (v0."a0" > CAST(1 AS BIGINT))
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': cast(length(k0) as integer)} AS v0
    FROM filter_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # a column that is not grouped
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': max(v0."AMOUNT"), 'a1': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0", 'KSQL_COL_1': v0."a1"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # a column of HAVING that is not grouped
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': count(*), 'a1': max(v0."AMOUNT")} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
filter_5 AS (
  SELECT * FROM groups_4 AS t
  WHERE (v0."a1" > 1)
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM filter_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # an aggregate in GROUP BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # an aggregate in WHERE
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
filter_5 AS (
  SELECT * FROM groups_4 AS t
  WHERE (v0."a0" > CAST(1 AS BIGINT))
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM filter_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # an expression twice
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
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
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # MAX of a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."CITY" AS _group
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
    {'a0': try_cast(sum(v0."BOSS") AS BIGINT), 'a1': count(v0."BOSS")} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': try_cast(sum(v0."BOSS") AS BIGINT), 'a1': count(v0."BOSS")} FROM rows_4 AS t WHERE FALSE) AS v0
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
      {'KSQL_COL_0': CASE WHEN (v0."a1" = CAST(0 AS BIGINT)) THEN 0 ELSE try_cast(v0."a0" as INTEGER) END} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a WINDOW without GROUP BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3600000 THEN 0 ELSE ((_ts - 3600000) // 3600000 + 1) * 3600000 END, _ts + 1, 3600000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3600000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a WINDOW over a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."CITY" AS _group
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
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # the bounds of a window in GROUP BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3600000 THEN 0 ELSE ((_ts - 3600000) // 3600000 + 1) * 3600000 END, _ts + 1, 3600000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3600000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'S': k0."start", 'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a unit of no time
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 1209600000 THEN 0 ELSE ((_ts - 1209600000) // 1209600000 + 1) * 1209600000 END, _ts + 1, 1209600000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 1209600000 AS stop FROM spread_5 WHERE NOT coalesce(start + 1209600000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # EMIT FINAL without a window
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
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
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;
