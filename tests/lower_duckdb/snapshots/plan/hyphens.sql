-- # a hyphenated column that is none
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'net-points': v."net-points"} END AS v0
  FROM "topic gaming-sessions" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': v0."net-points"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a column and a subtraction
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'points': v."points", 'net': v."net"} END AS v0
  FROM "topic gaming-sessions" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'net': v0."net", 'points': v0."points"} END AS v0
  FROM scan_1 AS t
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': try((v0."net") - (v0."points"))} END AS v0
  FROM project_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # a topic whose name goes on
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'points': v."points"} END AS v0
  FROM "topic gaming-sessions" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'points': v0."points"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a dotted topic, unqualified in part
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a.b.commerce" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a key of a hyphenated source
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic gaming-sessions" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': k0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;
