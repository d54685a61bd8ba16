-- # below an inner join, to the side that it reads
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."amount" > 1)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
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
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # to both sides of an inner join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."amount" > 1)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_6 AS (
  SELECT * FROM scan_5 AS t
  WHERE (v0."name" = 'x')
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM filter_6 AS t
),
found_8 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_7) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
),
filter_10 AS (
  SELECT * FROM join_9 AS t
  WHERE (v0."id" = v1."id")
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM filter_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # to the preserved side of a left join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."amount" > 1)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
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
alone_8 AS (
  SELECT t.* FROM left_3 AS t ANTI JOIN found_7 AS f
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
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # never to the optional side of a left join
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
filter_9 AS (
  SELECT * FROM join_8 AS t
  WHERE (v1."name" = 'x')
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM filter_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # to the right side of a right join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."amount" > 1)
),
right_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
found_7 AS (
  SELECT r.*, l.k0 AS k100, l.v0 AS v100, l._ord AS t_ord
  FROM right_3 AS r ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM left_6) AS l
    ON r._case = l._case AND r.j = l.j AND l.start < [r._ord]
  WHERE l.j IS NULL OR l._end IS NULL
    OR CASE WHEN l._end IS NOT NULL THEN [l._end] END >= [r._ord]
),
alone_8 AS (
  SELECT t.* FROM right_3 AS t ANTI JOIN found_7 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0 AS k1, t.v0 AS v1, t.k100 AS k0, t.v100 AS v0
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, NULL AS k0, NULL AS v0, t.k0 AS k1, t.v0 AS v1
  FROM alone_8 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, n.k0, n.v0, a.k0 AS k1, a.v0 AS v1
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM left_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
filter_10 AS (
  SELECT * FROM join_9 AS t
  WHERE (v0."name" IS NULL)
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'item': v1."item", 'name': v0."name"} AS v0
  FROM filter_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # nowhere below an outer join
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
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_12 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_11 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, r._id AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_6 AS r LEFT JOIN gaps_10 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = r._case AND s.j = r.j)
),
live_13 AS (
  SELECT * FROM join_12 WHERE _end IS NULL
),
filter_14 AS (
  SELECT * FROM live_13 AS t
  WHERE (v0."amount" > 1)
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'item': v0."item", 'name': v1."name"} AS v0
    FROM filter_14 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_15;

-- # a condition of ON is a filter of the side that may be missing
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
  WHERE (v0."name" = 'x')
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
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a condition of ON on the preserved side is none
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN (v0."amount" > 1) THEN k0 END AS j
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
    {'item': v0."item", 'name': v1."name"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # conditions of ON in an inner join are filters
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic customers" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_7 AS (
  SELECT * FROM scan_6 AS t
  WHERE (v0."name" = 'x')
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM filter_7 AS t
),
join_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_4 AS l JOIN right_8 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_10 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item", 'name': v1."name"} AS v0
    FROM join_9 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_10;

-- # conditions of ON in an outer join stay
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN (v0."amount" > 1) THEN k0 END AS j
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
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN (v0."name" = 'x') THEN k0 END AS j
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
      coalesce(k0, k1) AS k0,
      {'item': v0."item", 'name': v1."name"} AS v0
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

-- # between streams
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
filter_4 AS (
  SELECT * FROM scan_3 AS t
  WHERE v0 IS NOT NULL AND (v0."amount" > 1)
),
right_5 AS (
  SELECT t.*, k0 AS j
  FROM filter_4 AS t
  WHERE v0 IS NOT NULL
),
clock_6 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM filter_4
  ) GROUP BY _case, _at
),
on_time_7 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
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
    {'item': v1."item", 'country': v0."country"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # a constant stays where it is
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
filter_8 AS (
  SELECT * FROM join_7 AS t
  WHERE (1 = 2)
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM filter_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # through two joins
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
      {'amount': v0."amount"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
left_9 AS (
  SELECT t.*, k0 AS j
  FROM project_8 AS t
),
records_10 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
scan_11 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_10 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_12 AS (
  SELECT * FROM scan_11 AS t
  WHERE (v0."paid" > 1)
),
right_13 AS (
  SELECT t.*, k0 AS j
  FROM filter_12 AS t
),
join_14 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_9 AS l JOIN right_13 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'amount': v0."amount", 'paid': v1."paid"} AS v0
    FROM join_14 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_15;
