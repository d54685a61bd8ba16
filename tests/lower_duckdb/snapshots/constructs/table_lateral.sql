-- # table_lateral
-- table_lateral
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
members_5 AS (
  SELECT t.*, v0."item" AS _group
  FROM lateral_4 AS t
),
rows_6 AS (
  SELECT * FROM members_5 WHERE _group IS NOT NULL
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;
