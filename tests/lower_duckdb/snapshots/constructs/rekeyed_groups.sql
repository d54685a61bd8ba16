-- # rekeyed_groups
-- rekeyed_groups
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."item" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
events_5 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_4
    UNION SELECT _case, _group, _end FROM rows_4 WHERE _end IS NOT NULL
  )
),
groups_6 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_5 AS e JOIN rows_4 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_6 AS t
  ) WHERE v0 IS NOT NULL
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."n" AS k0,
      {'item': k0} AS v0
    FROM project_7 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_9 AS (
  SELECT t.*, [t._ord] AS place, [t._ord] AS start, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS stop,
    CASE WHEN t._end IS NOT NULL THEN [t._end] END AS until
  FROM project_8 AS t WHERE k0 IS NOT NULL
),
newest_10 AS (
  SELECT * FROM mapped_9 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id DESC NULLS LAST) = 1
),
rekey_11 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until), k0 AS _id, NULL AS _end FROM newest_10 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_11;
