-- # three_tables
-- three_tables
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
  SELECT t.*, v0."item" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic items" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."label" AS j
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
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."item" AS k0,
      {'item': v0."item", 'label': v1."label", 'weight': v1."weight"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
left_12 AS (
  SELECT t.*, v0."label" AS j
  FROM project_11 AS t
),
records_13 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
scan_14 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_13 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_15 AS (
  SELECT t.*, v0."item" AS j
  FROM scan_14 AS t
),
steps_16 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_15 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_15 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_17 AS (
  SELECT _case, j, moment, until FROM steps_16 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_16 GROUP BY _case, j
),
pairs_18 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN l._rank > [r._ord] THEN l._rank || [r._ord] ELSE [r._ord] || l._rank END AS _rank, l._until AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_12 AS l JOIN right_15 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_19 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_18 AS p ASOF LEFT JOIN (SELECT * FROM gaps_17 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END AS _ord,
    l._ts, least(l._end, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, l._rank AS _rank,
    l._until AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_12 AS l LEFT JOIN gaps_17 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_16 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_20 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."label" AS k0,
      {'item': v0."item", 'weight': v0."weight", 'paid': v1."paid"} AS v0
    FROM join_19 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_21 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_20 AS t WHERE k0 IS NOT NULL
),
newest_22 AS (
  SELECT * FROM mapped_21 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" IS NOT NULL DESC, _id."l"."l" DESC NULLS LAST, _id."l"."r" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_23 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_22 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_23;
