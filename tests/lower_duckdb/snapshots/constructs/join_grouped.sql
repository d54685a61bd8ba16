-- # join_grouped
-- join_grouped
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'note': v."note"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
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
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, v0."label" AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
members_8 AS (
  SELECT t.*, v0."note" AS _group
  FROM join_7 AS t
),
rows_9 AS (
  SELECT * FROM members_8 WHERE _group IS NOT NULL
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v1."weight") AS BIGINT)} AS v0
  FROM rows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0", 'weight': v0."a1"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;
