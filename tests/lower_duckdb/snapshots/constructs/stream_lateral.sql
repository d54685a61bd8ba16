-- # stream_lateral
-- stream_lateral
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'tag': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;
