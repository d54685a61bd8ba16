-- # the key column is missing
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # the partitioning expression is missing
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    v0."ITEM" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ID': k0, 'AMOUNT': v0."AMOUNT"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # one of two grouping expressions is missing
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((k0 IS NOT NULL) AND (v0."ITEM" IS NOT NULL))
),
members_3 AS (
  SELECT t.*, {'ID': k0, 'ITEM': v0."ITEM"} AS _group
  FROM filter_2 AS t WHERE v0 IS NOT NULL
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # both join columns are missing
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 IS NOT NULL)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
  WHERE v0 IS NOT NULL
),
clock_7 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_6
),
timed_8 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_7 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_6) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'ITEM': v0."ITEM", 'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # a join column in an expression is not the key
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 IS NOT NULL)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
  WHERE v0 IS NOT NULL
),
clock_7 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_6
),
timed_8 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_7 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_6) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # the added key of an expression join is missing
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (try(abs(k0)) IS NOT NULL)
),
left_3 AS (
  SELECT t.*, try(abs(k0)) AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (try(abs(k0)) IS NOT NULL)
),
right_6 AS (
  SELECT t.*, try(abs(k0)) AS j
  FROM filter_5 AS t
  WHERE v0 IS NOT NULL
),
clock_7 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_6
),
timed_8 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_7 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_6) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    try(abs(k0)) AS k0,
    {'A_ID': k0, 'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # the primary key is missing after a foreign-key join
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."CITY" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic cities" AS t
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
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'CITY': v0."CITY", 'SIZE': v1."SIZE"} AS v0
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

-- # the key is there as a copy alone
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'COPY': (k0), 'ITEM': v0."ITEM"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # the key twice
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AGAIN': (k0)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # no value columns
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a reserved name
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ROW_TIME': v0."AMOUNT"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # two columns of one name
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."ITEM", 'Y': v0."AMOUNT"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a column of NULL
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': CAST(NULL AS INTEGER)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # an alias in GROUP BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
members_2 AS (
  SELECT t.*, v0."ITEM" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # an alias in PARTITION BY
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    v0."ITEM" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ID': k0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # an alias in ON
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 IS NOT NULL)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
  WHERE v0 IS NOT NULL
),
clock_7 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_6
),
timed_8 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_7 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_6) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # PARTITION BY NULL with a column
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    CAST(NULL AS INTEGER) AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS", 'ID': k0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # PARTITION BY over a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."CITY" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
live_5 AS (
  SELECT * FROM rows_4 WHERE _end IS NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*)} FROM rows_4 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM rows_4
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_6 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'KSQL_COL_0': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a format of no key
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    CAST(NULL AS INTEGER) AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS", 'ID': k0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # two key columns stored as KAFKA
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    {'ID': k0, 'ITEM': v0."ITEM"} AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a key stored as NONE
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;
