-- # an unknown setting
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # an unknown setting of a topic
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a value that is no truth
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a value that is no number
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a target that is not created
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # a result that does not fit its topic
-- payments
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'order_id': v0."id", 'paid': v0."amount"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # two results of one topic that differ
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # two writers of a TABLE
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # an unknown setting for all topics
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a name of before 4.0
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # no partitions at all
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # an interval that is no number
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a name of a record that AVRO cannot hold
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # a policy that does not exist
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # dead letters without a topic
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # dead letters into a target
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # dead letters into a source
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # dead letters into a topic of another schema
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
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

-- # one target that is not created
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;
