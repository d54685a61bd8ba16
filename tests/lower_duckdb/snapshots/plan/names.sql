-- # an unknown topic
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # a topic in other capitals
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # a WITH that comes later
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # a WITH in its own body
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # an unknown column
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'item': v0."item"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a column in other capitals
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'item': v0."item"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a column of a topic that is not read
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'name': v0."name"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field of what is no struct
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'address': CASE WHEN v."address" IS NOT NULL THEN {'city': v."address"."city"} END} END AS v0
  FROM "topic customers" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'city': v0."address"."city"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field that the struct lacks
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'address': CASE WHEN v."address" IS NOT NULL THEN {'city': v."address"."city"} END} END AS v0
  FROM "topic customers" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'city': v0."address"."city"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field of the key as one of the value
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic pairs" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'a': k0."a"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field that the key lacks
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic pairs" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'a': k0."a"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field of a primitive key
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'a': k0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field of a primitive value
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic levels" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'points': v0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a key that is not there
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic visits" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'k': v0."page"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # the name of a source as a value
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'o': v0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;
