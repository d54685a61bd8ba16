-- # a copy of a topic
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'paid': v0."paid"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- # a copy that is written
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # copies of copies
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # a filter stays
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."paid" > 1)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'paid': v0."paid"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # a new key stays
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # all fields by name are not the value
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'order_id': v0."order_id", 'paid': v0."paid"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a new format stays
-- other
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN v0 END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a side of a join stays
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_5 AS (
  SELECT t.*, k0 AS j
  FROM scan_4 AS t
),
found_6 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_5) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_7 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_6 AS t WHERE t.t_ord IS NOT NULL
),
project_8 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;
