-- # two streams without WITHIN
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'country': v0."country"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a stream RIGHT JOIN a table
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
alone_7 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_6 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_6 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_7 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_7 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_5) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # a stream OUTER JOIN a table
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
    {'item': v0."item"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # a table LEFT JOIN a stream
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
right_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_5 AS (
  SELECT t.*, k0 AS j
  FROM scan_4 AS t
),
found_6 AS (
  SELECT r.*, l.k0 AS k100, l.v0 AS v100, l._ord AS t_ord
  FROM right_2 AS r ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM left_5) AS l
    ON r._case = l._case AND r.j = l.j AND l.start < [r._ord]
  WHERE l.j IS NULL OR l._end IS NULL
    OR CASE WHEN l._end IS NOT NULL THEN [l._end] END >= [r._ord]
),
alone_7 AS (
  SELECT t.* FROM right_2 AS t ANTI JOIN found_6 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0 AS k1, t.v0 AS v1, t.k100 AS k0, t.v100 AS v0
  FROM found_6 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, NULL AS k0, NULL AS v0, t.k0 AS k1, t.v0 AS v1
  FROM alone_7 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, n.k0, n.v0, a.k0 AS k1, a.v0 AS v1
  FROM alone_7 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM left_5) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'item': v1."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # WITHIN with a table
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
    {'item': v0."item"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # WITHIN twice, with different times
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
right_4 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."customer_id" AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # ON with both sources on one side of an equality
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, try((v0."customer_id") - (0)) AS j
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
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    try((v0."customer_id") - (0)) AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # ON with a call over both sources
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (((v0."name") || ('x')) = 'John')
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # ON with an OR of both sources
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 = 1)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
),
rekey_7 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM right_6 AS t WHERE t.j IS NOT NULL
),
found_8 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."customer_id" AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # ON that compares by less than
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, v0."customer_id" AS j
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
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    v0."customer_id" AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # ON that is no condition
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'paid': v."paid"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND v0."paid"
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # types that cannot be equal
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, v0."item" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_5 AS (
  SELECT t.*, v0."name" AS j
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
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    v0."item" AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # keys in several formats
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # a source without a key
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic visits" AS t
),
left_2 AS (
  SELECT t.*, v0."page" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic visits" AS t
),
right_4 AS (
  SELECT t.*, v0."page" AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."page" AS k0,
    {'page': v0."page"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."page" NULLS FIRST;

-- # a self-join without aliases
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # an unqualified key
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
    {'k': k0} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # an unqualified key in WHERE
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 = 1)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # a name of both sides
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
    {'id': v1."id"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # the clock in ON
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'big': v."big"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (CAST(1 AS BIGINT) > v0."big")
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # the changes of a computed table
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_5 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_4 AS t
),
rows_6 AS (
  SELECT * FROM members_5 WHERE _group IS NOT NULL
),
events_7 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_6
    UNION SELECT _case, _group, _end FROM rows_6 WHERE _end IS NOT NULL
  )
),
groups_8 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': try_cast(sum(v0."amount") AS BIGINT)} AS v0
  FROM events_7 AS e JOIN rows_6 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'s': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
),
project_10 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'s': v0."s"} AS v0
    FROM project_9 AS t
  ) WHERE v0 IS NOT NULL
),
right_11 AS (
  SELECT t.*, k0 AS j
  FROM project_10 AS t
),
found_12 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_11) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_13 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_12 AS t WHERE t.t_ord IS NOT NULL
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'s': v1."s"} AS v0
  FROM join_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input;

-- # a join as the source of LATERAL
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
    {'tags': v0."tags"} AS v0
  FROM join_7 AS t
),
spread_9 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM project_8 AS t
),
lateral_10 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_9 AS t
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tag': v1} AS v0
  FROM lateral_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # INNER OUTER JOIN
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a SEMI JOIN
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
steps_7 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_6 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_6 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_8 AS (
  SELECT _case, j, moment, until FROM steps_7 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_7 GROUP BY _case, j
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # an ANTI JOIN
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
steps_7 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_6 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_6 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_8 AS (
  SELECT _case, j, moment, until FROM steps_7 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_7 GROUP BY _case, j
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # a table INNER JOIN a stream
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
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
    {'item': v0."item"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # a table OUTER JOIN a stream
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
right_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_5 AS (
  SELECT t.*, k0 AS j
  FROM scan_4 AS t
),
found_6 AS (
  SELECT r.*, l.k0 AS k100, l.v0 AS v100, l._ord AS t_ord
  FROM right_2 AS r ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM left_5) AS l
    ON r._case = l._case AND r.j = l.j AND l.start < [r._ord]
  WHERE l.j IS NULL OR l._end IS NULL
    OR CASE WHEN l._end IS NOT NULL THEN [l._end] END >= [r._ord]
),
alone_7 AS (
  SELECT t.* FROM right_2 AS t ANTI JOIN found_6 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0 AS k1, t.v0 AS v1, t.k100 AS k0, t.v100 AS v0
  FROM found_6 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, NULL AS k0, NULL AS v0, t.k0 AS k1, t.v0 AS v1
  FROM alone_7 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, n.k0, n.v0, a.k0 AS k1, a.v0 AS v1
  FROM alone_7 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM left_5) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'item': v1."item"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # WITHIN between two tables
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # two streams of WITH statements without WITHIN, whatever follows SELECT
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
steps_7 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_6 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_6 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_8 AS (
  SELECT _case, j, moment, until FROM steps_7 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_7 GROUP BY _case, j
),
steps_9 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_3 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_3 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_10 AS (
  SELECT _case, j, moment, until FROM steps_9 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_9 GROUP BY _case, j
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_12 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_11 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_6 AS r LEFT JOIN gaps_10 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."customer_id", v1."id") AS k0,
      {'item': v0."item"} AS v0
    FROM join_12 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_14 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_13 AS t WHERE k0 IS NOT NULL
),
newest_15 AS (
  SELECT * FROM mapped_14 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_16 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_15 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_16;

-- # WITHIN without a unit
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86405000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86405000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5000 AND l._ts + 5000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # WITHIN three times
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # ON twice
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."amount" > 1)
),
left_4 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."customer_id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_9 AS t WHERE t.k0 IS NOT NULL
),
live_11 AS (
  SELECT * FROM rekey_10 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_11;

-- # ON that compares by <>
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."customer_id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # ON with BETWEEN over both sources
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'customer_id': v."customer_id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE ((v0."amount" >= 1) AND (v0."amount" <= v0."id"))
),
left_4 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."customer_id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_9 AS t WHERE t.k0 IS NOT NULL
),
live_11 AS (
  SELECT * FROM rekey_10 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_11;

-- # ON with IN over both sources
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."customer_id" IN (v0."id"))
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # ON with NOT over both sources
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (NOT (v0."customer_id" = v0."id"))
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # ON with a CASE over both sources
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'paid': v."paid"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE CASE WHEN v0."paid" THEN (v0."id" = 1) ELSE FALSE END
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # ON with both sources on each side
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, try((v0."amount") + (v0."id")) AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, try((v0."id") + (v0."id")) AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      try((v0."amount") + (v0."id")) AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # an OR of equalities in ON
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."customer_id" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."customer_id"} END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."id" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."id"} END AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      {'id': v0."id", 'customer_id': v0."customer_id"} AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # an OR of conditions on both sources beside an equality
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE ((v0."amount" > 1) OR (v0."id" > 1))
),
left_4 AS (
  SELECT t.*, v0."id" AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_9 AS t WHERE t.k0 IS NOT NULL
),
live_11 AS (
  SELECT * FROM rekey_10 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_11;

-- # an AND in parentheses below an OR
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE ((v0."amount" > 1) OR (v0."amount" < 0))
),
left_4 AS (
  SELECT t.*, v0."id" AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_9 AS t WHERE t.k0 IS NOT NULL
),
live_11 AS (
  SELECT * FROM rekey_10 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_11;

-- # an unqualified key in ON
-- result
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
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # an unqualified field of both sources in ON
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."amount" = 1)
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # an aggregate in ON
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."amount" > 1)
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM scan_6 AS t
),
join_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # keys in several formats and no ON
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # three sources
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
left_9 AS (
  SELECT t.*, k0 AS j
  FROM project_8 AS t
),
records_10 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'order_id': v."order_id"} END AS v0
  FROM "topic payments" AS t
),
scan_11 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_10 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_12 AS (
  SELECT t.*, k0 AS j
  FROM scan_11 AS t
),
join_13 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_9 AS l JOIN right_12 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_13 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_14;

-- # three sources, with ON
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'customer_id': v."customer_id", 'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN v0."customer_id" IS NOT NULL AND v0."id" IS NOT NULL THEN {'j0': v0."customer_id", 'j1': v0."id"} END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."id" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."id"} END AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      {'customer_id': v0."customer_id", 'id': v0."id"} AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # a subquery as the second source
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a wildcard over names of both sides
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'id': v0."id", 'customer_id': v0."customer_id", 'item': v0."item", 'amount': v0."amount", 'big': v0."big", 'price': v0."price", 'tags': v0."tags", 'paid': v0."paid", 'name': v1."name", 'country': v1."country", 'address': v1."address"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # an alias that hides a facet
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a `;` inside a WITH of a join
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a join that is grouped, without an aggregate
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'customer_id': v."customer_id"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, v0."customer_id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
members_8 AS (
  SELECT t.*, v1."name" AS _group
  FROM join_7 AS t
),
rows_9 AS (
  SELECT * FROM members_8 WHERE _group IS NOT NULL
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'name': k0, 'n': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # the unqualified key of a join that is grouped
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
members_8 AS (
  SELECT t.*, v1."name" AS _group
  FROM join_7 AS t
),
rows_9 AS (
  SELECT * FROM members_8 WHERE _group IS NOT NULL
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(k0)} AS v0
  FROM rows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # EVENTTIME BY over a join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'big': v."big"} END AS v0
  FROM "topic orders" AS t
),
at_2 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(v0."big" BETWEEN 0 AND 253402300799999, FALSE) THEN v0."big" ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM scan_1 AS t
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM at_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
right_5 AS (
  SELECT t.*, k0 AS j
  FROM scan_4 AS t
  WHERE v0 IS NOT NULL
),
clock_6 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM at_2
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_4
  ) GROUP BY _case, _at
),
on_time_7 AS (
  SELECT t.* FROM left_3 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_8 AS (
  SELECT t.* FROM right_5 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_7 AS l JOIN on_time_8 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_10 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_9
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # types that meet in comparisons, and not as keys
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, try_cast(trunc(v0."price") as INTEGER) AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      try_cast(trunc(v0."price") as INTEGER) AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # a decimal that meets an integer
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, (case when (v0."price") = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(v0."price") as bigint) end) AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, try_cast(v0."id" as BIGINT) AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      (case when (v0."price") = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(v0."price") as bigint) end) AS k0,
      {'item': v0."item"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # EVENTTIME BY before a join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a comma behind a join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 90000000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;
