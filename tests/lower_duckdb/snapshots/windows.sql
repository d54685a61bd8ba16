-- # tumbling
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 5 THEN 0 ELSE ((_ts - 5) // 5 + 1) * 5 END, _ts + 1, 5)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 5 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400005 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0", 's': v0."a1"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # hopping
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, {'i': v0."id"} AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 9 THEN 0 ELSE ((_ts - 9) // 4 + 1) * 4 END, _ts + 1, 4)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 9 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400009 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(v0."n")} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
filter_8 AS (
  SELECT * FROM groups_7 AS t
  WHERE (v0."a0" > CAST(0 AS BIGINT))
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM filter_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # sessions
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 86400000 <= seen, FALSE)
),
links_6 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING) < t._ts + 86400000, FALSE) AS goes_on
  FROM timely_5 AS t
),
gaps_7 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_6 AS t
),
sessions_8 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) AS session
  FROM gaps_7 AS t
),
windows_9 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS stop FROM sessions_8 AS t)
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': (list(v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1]} AS v0
  FROM windows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0", 'm': v0."a1"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # another time
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
at_2 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(try_cast(try((coalesce(v0."id", 0)) * (7)) as BIGINT) BETWEEN 0 AND 253402300799999, FALSE) THEN try_cast(try((coalesce(v0."id", 0)) * (7)) as BIGINT) ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM scan_1 AS t
),
members_3 AS (
  SELECT t.*, v0."name" AS _group
  FROM at_2 AS t WHERE v0 IS NOT NULL
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
arrived_5 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_4 AS t
),
spread_6 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 5 THEN 0 ELSE ((_ts - 5) // 5 + 1) * 5 END, _ts + 1, 5)) AS start
  FROM arrived_5 AS t
),
windows_7 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 5 AS stop FROM spread_6 WHERE NOT coalesce(start + 86400005 <= seen, FALSE))
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # groups of windows
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 5 THEN 0 ELSE ((_ts - 5) // 5 + 1) * 5 END, _ts + 1, 5)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 5 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400005 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
),
members_9 AS (
  SELECT t.*, k0."key" AS _group
  FROM project_8 AS t
),
rows_10 AS (
  SELECT * FROM members_9 WHERE _group IS NOT NULL
),
groups_11 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM rows_10 AS t GROUP BY _case, _group
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'windows': v0."a0", 'records': v0."a1"} AS v0
    FROM groups_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;
