-- # arithmetic of literals
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': 19} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a sum that does not fit is null
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': CAST(NULL AS INTEGER)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a negative literal in parentheses
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': 2} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # TRUE AND a condition is the condition
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

-- # FALSE decides an AND
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((v0."paid" > 1) AND FALSE)
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

-- # FALSE OR a condition is the condition
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

-- # a filter that is always true goes
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

-- # but not where it drops records without value
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((NOT FALSE) OR (v0."paid" > 1))
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

-- # a null stays, as three values need it
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': ((v0."paid" > 1) AND CAST(NULL AS BOOLEAN))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # branches that are never taken go
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': CASE WHEN (v0."paid" > 1) THEN 2 ELSE 3 END} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a branch that is always taken is all
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': v0."paid"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # inside an aggregate
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
members_2 AS (
  SELECT t.*, try((v0."order_id") + (0)) AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': try_cast(sum(try((v0."paid") * (3))) AS BIGINT)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'s': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # integers are widened
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'big': v."big", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((v0."big" > CAST(2 AS BIGINT)) AND (v0."price" > CAST(6.0 AS DOUBLE)))
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # division is left to the engines
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': try((7) // (2)), 'y': try((1) // (0))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # in a join's conditions
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN (v0."amount" > 5) THEN try((v0."customer_id") + (0)) END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_5 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_4 AS t
),
rekey_6 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM right_5 AS t WHERE t.j IS NOT NULL
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_8 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_7 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_8 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_10 AS (
  SELECT _case, _ord, _ts,
    try((v0."customer_id") + (0)) AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;
