-- # stream as it is
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM scan_1
) ORDER BY _case, _ord, _input;

-- # table as it is
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM scan_2;

-- # stream projected and filtered
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((v0."n" = 1) OR (v0."id" > 0))
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': try((v0."n") + (1)), 'name': coalesce(v0."name", '?')} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # table projected and filtered
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE ((v0."n" = 1) OR (v0."name" IS NULL))
),
project_4 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."n", 'k': k0} AS v0
    FROM filter_3 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_4;

-- # filter by the key
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 = 'p')
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

-- # case over nulls
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'c': CASE WHEN (v0."n" = 1) THEN 'one' WHEN (v0."n" > 1) THEN 'more' ELSE CAST(NULL AS VARCHAR) END, 'i': (v0."n" IN (0, CAST(NULL AS INTEGER)))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # whole facets
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'old_key': k0, 'old_value': v0} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # field as the value
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN v0."n" END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # field as the value of a table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
      v0."n" AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- # null values filtered
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN v0."n" END AS v0
  FROM scan_1 AS t
),
filter_3 AS (
  SELECT * FROM project_2 AS t
  WHERE v0 IS NOT NULL AND (v0 IS NULL)
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'v': v0} END AS v0
  FROM filter_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # primitive values
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic points" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0 > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'v': try((v0) + (1))} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # key made a struct
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    {'id': v0."id", 'name': v0."name"} AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # struct keys
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic pairs" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (k0."id" = 1)
),
project_4 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."n", 'side': k0."side"} AS v0
    FROM filter_3 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_4;

-- # stream rekeyed
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # table rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'n': v0."n"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_5;

-- # table rekeyed, of bare values
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."name" AS k0,
      v0."n" AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_5;

-- # rekeyed table filtered
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."n" > 0)
),
project_4 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'n': v0."n", 'name': v0."name"} AS v0
    FROM filter_3 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_5 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_4 AS t WHERE t.k0 IS NOT NULL
),
live_6 AS (
  SELECT * FROM rekey_5 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_6;

-- # two writers of one stream
-- t
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'x': v0."n"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'x': v0."m"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # two targets
-- s
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'n': v0."n"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- t
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'n': v0."n"} END AS v0
  FROM filter_2 AS t
),
table_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM table_4;

-- # table of a stream
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM scan_1 AS t
),
table_3 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_2 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM table_3;

-- # table of a filtered stream
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'n': v0."n"} END AS v0
  FROM filter_2 AS t
),
table_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM table_4;

-- # changes of a table
-- out
WITH changes_1 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
    FROM "topic a" AS t
  ) WHERE k0 IS NOT NULL
),
changes_2 AS (
  SELECT _case, _ord, _ts, k0, CASE WHEN (v0."n" > 0) THEN v0 END AS v0
  FROM changes_1 AS t
),
changes_3 AS (
  SELECT _case, _ord, _ts, k0 AS k0, CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM changes_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM changes_3
) ORDER BY _case, _ord, _input;

-- # changes of a table of a stream
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM scan_1 AS t
),
changes_3 AS (
  SELECT * FROM project_2 WHERE k0 IS NOT NULL
),
changes_4 AS (
  SELECT _case, _ord, _ts, k0 AS k0, CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM changes_3 AS t
),
project_5 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM changes_4 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_5
) ORDER BY _case, _ord, _input;

-- # lateral
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'x': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # lateral and everything
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
filter_4 AS (
  SELECT * FROM lateral_3 AS t
  WHERE (v1 > 0)
),
project_5 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'xs': v0."xs", 'x': v1} AS v0
  FROM filter_4 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_5
) ORDER BY _case, _ord, _input;

-- # lateral twice
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic nested" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xss") AS e, unnest(range(len(v0."xss"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
spread_4 AS (
  SELECT t.*, unnest(v1) AS e, unnest(range(len(v1))) AS i
  FROM lateral_3 AS t
),
lateral_5 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, t.k1, t.v1, NULL AS k2, t.e AS v2
  FROM spread_4 AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'x': v2} AS v0
  FROM lateral_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- # lateral of what the query lists
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
spread_2 AS (
  SELECT t.*, unnest([v0."id", v0."n"]) AS e, unnest(range(len([v0."id", v0."n"]))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
filter_4 AS (
  SELECT * FROM lateral_3 AS t
  WHERE ((v0."id" IS NULL) OR (v1 IS NULL))
),
project_5 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'x': v1} AS v0
  FROM filter_4 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_5
) ORDER BY _case, _ord, _input;

-- # stream of joined elements with the elements
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
),
right_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_5 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_4 AS t
),
lateral_6 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_5 AS t
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'id': v0."id"} AS v0
    FROM lateral_6 AS t
  ) WHERE v0 IS NOT NULL
),
left_8 AS (
  SELECT t.*, k0 AS j
  FROM project_7 AS t
),
lasting_9 AS (
  SELECT * FROM left_8 WHERE _end IS NULL OR _ord[1] < _end[1]
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM lasting_9 AS t WHERE t.j IS NOT NULL
),
found_11 AS (
  SELECT r.*, l.k0 AS k100, l.v0 AS v100, l._ord AS t_ord
  FROM right_2 AS r ASOF LEFT JOIN (SELECT *, _ord AS start FROM rekey_10) AS l
    ON r._case = l._case AND r.j = l.j AND l.start < [r._ord]
  WHERE l.j IS NULL OR l._end IS NULL
    OR l._end >= [r._ord]
),
alone_12 AS (
  SELECT t.* FROM right_2 AS t ANTI JOIN found_11 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_13 AS (
  SELECT t._case, [t._ord] || t.t_ord AS _ord, t._ts, t.k0 AS k1, t.v0 AS v1, t.k100 AS k0, t.v100 AS v0
  FROM found_11 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, NULL AS k0, NULL AS v0, t.k0 AS k1, t.v0 AS v1
  FROM alone_12 AS t
  UNION ALL BY NAME
  SELECT a._case, n._ord || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, n.k0, n.v0, a.k0 AS k1, a.v0 AS v1
  FROM alone_12 AS a ASOF JOIN (SELECT *, _ord AS start FROM rekey_10) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'z': v1."z"} AS v0
  FROM join_13 AS t
),
left_15 AS (
  SELECT t.*, k0 AS j
  FROM project_14 AS t
),
records_16 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
scan_17 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_16 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_18 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_17 AS t
),
lateral_19 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_18 AS t
),
project_20 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'x': v1} AS v0
    FROM lateral_19 AS t
  ) WHERE v0 IS NOT NULL
),
right_21 AS (
  SELECT t.*, k0 AS j
  FROM project_20 AS t
),
lasting_22 AS (
  SELECT * FROM right_21 WHERE _end IS NULL OR _ord[1] < _end[1]
),
rekey_23 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM lasting_22 AS t WHERE t.j IS NOT NULL
),
found_24 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_15 AS l ASOF LEFT JOIN (SELECT *, _ord AS start FROM rekey_23) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR r._end >= [l._ord[1]]
),
alone_25 AS (
  SELECT t.* FROM left_15 AS t ANTI JOIN found_24 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_26 AS (
  SELECT t._case, t._ord || t.t_ord || [0] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_24 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, t._ord AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_25 AS t
  UNION ALL BY NAME
  SELECT a._case, n._ord || a._ord || [1] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_25 AS a ASOF JOIN (SELECT *, _ord AS start FROM rekey_23) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord[1]]
  WHERE n._ts - a._ts <= 8
),
project_27 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'z': v0."z", 'x': v1."x"} AS v0
  FROM join_26 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_27
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."z" NULLS FIRST, value."x" NULLS FIRST;

-- # null elements as values
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM lateral_3 AS t
),
filter_5 AS (
  SELECT * FROM project_4 AS t
  WHERE v0 IS NOT NULL AND ((v0 IS NULL) OR (v0 > 0))
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'v': v0} END AS v0
  FROM filter_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- # lateral of a table, counted
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
members_5 AS (
  SELECT t.*, v0."id" AS _group
  FROM lateral_4 AS t
),
rows_6 AS (
  SELECT * FROM members_5 WHERE _group IS NOT NULL
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v1) AS BIGINT)} AS v0
  FROM rows_6 AS t GROUP BY _case, _group
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

-- # lateral of a table, rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v1 AS k0,
      {'id': v0."id"} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_6 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_5 AS t WHERE t.k0 IS NOT NULL
),
live_7 AS (
  SELECT * FROM rekey_6 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_7;

-- # lateral grouped
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
members_4 AS (
  SELECT t.*, v1 AS _group
  FROM lateral_3 AS t
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_5 AS t GROUP BY _case, _group
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_6 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_7;

-- # aggregate of a stream
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': count(v0."n"), 'a2': try_cast(sum(v0."n") AS BIGINT), 'a3': avg(v0."n")} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 'cn': v0."a1", 's': v0."a2", 'a': v0."a3"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # aggregate of a table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
members_3 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': count(v0."n"), 'a2': try_cast(sum(v0."n") AS BIGINT), 'a3': avg(v0."n")} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 'cn': v0."a1", 's': v0."a2", 'a': v0."a3"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # ordered aggregates
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': arg_min_null(v0."n", t._ord), 'a1': arg_max_null(v0."n", t._ord), 'a2': coalesce((list(v0."n" ORDER BY t._ord) FILTER (v0."n" IS NOT NULL))[1:3], []), 'a3': coalesce((list_transform([list(v0."n" ORDER BY t._ord) FILTER (v0."n" IS NOT NULL)], lambda v: list_filter(v, lambda y, i: list_position(v, y) = i))[1])[1:2], [])} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'f': v0."a0", 'l': v0."a1", 'c': v0."a2", 'u': v0."a3"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # greatest and least
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': (list(v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1], 'a1': coalesce((list(v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1:2], []), 'a2': coalesce((list(v0."n" ORDER BY v0."n" ASC) FILTER (v0."n" IS NOT NULL))[1:2], []), 'a3': coalesce((list(DISTINCT v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1:2], [])} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'m': v0."a0", 'mm': v0."a1", 'i': v0."a2", 'u': v0."a3"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # collected from a table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
members_3 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v0."n" ORDER BY t._id NULLS FIRST) FILTER (v0."n" IS NOT NULL))[1:2], [])} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # groups of several keys
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, {'id': v0."id", 'who': v0."name"} AS _group
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
      {'c': v0."a0", 'i': k0."id"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # grouped by an alias
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."n" > 0)
),
members_4 AS (
  SELECT t.*, {'id': v0."id"} AS _group
  FROM filter_3 AS t
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_5 AS t GROUP BY _case, _group
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_6 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_7;

-- # having
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
members_3 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
filter_6 AS (
  SELECT * FROM groups_5 AS t
  WHERE ((v0."a0" > CAST(1 AS BIGINT)) AND (v0."a0" IS NOT NULL))
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'s': v0."a0"} AS v0
    FROM filter_6 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_7;

-- # grouped by the key
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
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
      {'c': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # aggregate of an aggregate
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
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'s': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
),
members_6 AS (
  SELECT t.*, v0."s" AS _group
  FROM project_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."s") AS BIGINT)} AS v0
  FROM rows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 't': v0."a1"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # aggregate of pairs with another time
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'id': v0."id", 'm': v1."m"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
at_9 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(try_cast(try((coalesce(v0."m", 0)) * (7)) as BIGINT) BETWEEN 0 AND 253402300799999, FALSE) THEN try_cast(try((coalesce(v0."m", 0)) * (7)) as BIGINT) ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM project_8 AS t
),
members_10 AS (
  SELECT t.*, v0."id" AS _group
  FROM at_9 AS t
),
rows_11 AS (
  SELECT * FROM members_10 WHERE _group IS NOT NULL
),
groups_12 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."m") AS BIGINT)} AS v0
  FROM rows_11 AS t GROUP BY _case, _group
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # changes of a table with another time
-- out
WITH changes_1 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
    FROM "topic a" AS t
  ) WHERE k0 IS NOT NULL
),
at_2 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(try_cast(try((coalesce(v0."n", 0)) * (7)) as BIGINT) BETWEEN 0 AND 253402300799999, FALSE) THEN try_cast(try((coalesce(v0."n", 0)) * (7)) as BIGINT) ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM changes_1 AS t
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM at_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # collected in order of keys with nulls
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic pairs" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
members_3 AS (
  SELECT t.*, (v0 IS NULL) AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
groups_5 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v0."n" ORDER BY t._id IS NOT NULL, t._id."id" NULLS FIRST, t._id."side" NULLS FIRST) FILTER (v0."n" IS NOT NULL))[1:5], [])} AS v0
  FROM rows_4 AS t GROUP BY _case, _group
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # aggregate of a rekeyed table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."name" AS k0,
      {'id': v0."id", 'n': v0."n"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
),
members_6 AS (
  SELECT t.*, v0."id" AS _group
  FROM live_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM rows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # changes of an aggregate
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
events_5 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_4
    UNION SELECT _case, _group, _end FROM rows_4 WHERE _end IS NOT NULL
  )
),
groups_6 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_5 AS e JOIN rows_4 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_6 AS t
  ) WHERE v0 IS NOT NULL
),
changes_8 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_7 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_7 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_7 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
),
filter_9 AS (
  SELECT * FROM changes_8 AS t
  WHERE v0 IS NOT NULL AND (v0."c" > CAST(0 AS BIGINT))
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'c': v0."c"} END AS v0
  FROM filter_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."c" NULLS FIRST;

-- # tables by key
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # tables by key, left
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # tables by key, right
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_3 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_3 WHERE j IS NOT NULL AND _end IS NOT NULL
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
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, r._id AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_6 AS r LEFT JOIN gaps_8 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = r._case AND s.j = r.j)
),
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k1 AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # tables by key, outer
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM live_13 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_14;

-- # tables on fields
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      {'n': v0."n", 'm': v1."m"} AS v0
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

-- # tables on fields, left
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      v0."id" AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # tables on fields, right
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_3 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_3 WHERE j IS NOT NULL AND _end IS NOT NULL
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
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_6 AS r LEFT JOIN gaps_8 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v1."id" AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # tables on fields, outer
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      coalesce(v0."id", v1."id") AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
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

-- # tables on a field and a key
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m", 'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."ref" AS j
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
      k0 AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # tables on two equalities
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."name" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."name"} END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."ref" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."ref"} END AS j
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
      {'id': coalesce(v0."id", v1."id"), 'name': coalesce(v0."name", v1."ref")} AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
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

-- # tables with conditions
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN v0."id" END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_6 AS (
  SELECT * FROM scan_5 AS t
  WHERE (v0."m" > 0)
),
right_7 AS (
  SELECT t.*, v0."id" AS j
  FROM filter_6 AS t
),
steps_8 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_7 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_7 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_9 AS (
  SELECT _case, j, moment, until FROM steps_8 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_8 GROUP BY _case, j
),
pairs_10 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_11 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_10 AS p ASOF LEFT JOIN (SELECT * FROM gaps_9 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_9 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_8 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."id" AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_11 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_13 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_12 AS t WHERE k0 IS NOT NULL
),
newest_14 AS (
  SELECT * FROM mapped_13 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_15 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_14 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_15;

-- # tables with conditions, outer
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN k0 END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN k0 END AS j
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
      {'n': v0."n", 'm': v1."m"} AS v0
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

-- # tables joined, then filtered
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
filter_12 AS (
  SELECT * FROM live_11 AS t
  WHERE ((v1."m" IS NULL) OR (v0."n" = v1."m"))
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM filter_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # tables joined, then filtered by the optional side
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
filter_12 AS (
  SELECT * FROM live_11 AS t
  WHERE (v1."m" > 0)
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM filter_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # tables joined, then grouped
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
members_12 AS (
  SELECT t.*, v0."n" AS _group
  FROM live_11 AS t
),
rows_13 AS (
  SELECT * FROM members_12 WHERE _group IS NOT NULL
),
groups_14 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v1."m") AS BIGINT)} AS v0
  FROM rows_13 AS t GROUP BY _case, _group
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_14 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_15;

-- # tables of different numbers
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, try_cast(v0."n" as BIGINT) AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."z" AS j
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
      try_cast(v0."n" as BIGINT) AS k0,
      {'n': v0."n", 'i': v0."id"} AS v0
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

-- # three tables
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      v0."id" AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
left_12 AS (
  SELECT t.*, v0."m" AS j
  FROM project_11 AS t
),
records_13 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic d" AS t
),
scan_14 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_13 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_15 AS (
  SELECT t.*, v0."id" AS j
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
      v0."m" AS k0,
      {'n': v0."n", 'm': v0."m", 'z': v1."z"} AS v0
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

-- # three tables by key
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM live_13 AS t
  ) WHERE v0 IS NOT NULL
),
left_15 AS (
  SELECT t.*, k0 AS j
  FROM project_14 AS t
),
records_16 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
),
scan_17 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_16 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_18 AS (
  SELECT t.*, k0 AS j
  FROM scan_17 AS t
),
steps_19 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_18 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_18 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_20 AS (
  SELECT _case, j, moment, until FROM steps_19 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_19 GROUP BY _case, j
),
steps_21 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, _ord AS moment, 1 AS step FROM left_15 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, _end, -1 FROM left_15 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_22 AS (
  SELECT _case, j, moment, until FROM steps_21 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_21 GROUP BY _case, j
),
pairs_23 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN l._rank > [r._ord] THEN l._rank || [r._ord] ELSE [r._ord] || l._rank END AS _rank, l._until AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_15 AS l JOIN right_18 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_24 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_23 AS p ASOF LEFT JOIN (SELECT * FROM gaps_20 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_22 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END AS _ord,
    l._ts, least(l._end, g.until) AS _end, l._id AS _id, l._rank AS _rank,
    l._until AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_15 AS l LEFT JOIN gaps_20 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_19 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, r._id AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_18 AS r LEFT JOIN gaps_22 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_21 AS s WHERE s._case = r._case AND s.j = r.j)
),
live_25 AS (
  SELECT * FROM join_24 WHERE _end IS NULL
),
project_26 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'n': v0."n", 'm': v0."m", 'z': v1."z"} AS v0
    FROM live_25 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_26;

-- # a table with itself
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."n" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
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
      v0."n" AS k0,
      {'n': v0."n", 'm': v1."n"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # everything of two tables
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
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
  FROM "topic b" AS t
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
      coalesce(v0."id", v1."id") AS k0,
      {'id': coalesce(v0."id", v1."id"), 'n': v0."n", 'name': v0."name", 'm': v1."m", 'ref': v1."ref"} AS v0
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

-- # changes of a join
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
lasting_12 AS (
  SELECT * FROM project_11 WHERE _end IS NULL OR _ord[1] < _end[1]
),
changes_13 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM lasting_12 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM lasting_12 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM lasting_12 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord[1] = t._end[1]
  )
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n", 'm': v0."m"} END AS v0
  FROM changes_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."n" NULLS FIRST, value."m" NULLS FIRST;

-- # stream with table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input;

-- # stream with table, left
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # table with stream, right
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
right_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'n': v1."n", 'm': v0."m"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # stream with table on a field
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # stream with table on a key
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."name" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # stream with table and conditions
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN v0."id" END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (v0."m" > 0)
),
right_6 AS (
  SELECT t.*, v0."id" AS j
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
alone_9 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_8 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_10 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_9 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_9 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_11 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # stream with filtered table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (v0."m" > 0)
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
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # stream with aggregate
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_5 AS (
  SELECT t.*, v0."ref" AS _group
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
    {'a0': count(*)} AS v0
  FROM events_7 AS e JOIN rows_6 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
),
right_10 AS (
  SELECT t.*, k0 AS j
  FROM project_9 AS t
),
found_11 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_10) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_12 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_11 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_13 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_11 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_12 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_12 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_10) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'c': v1."c"} AS v0
  FROM join_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input;

-- # stream with outer tables
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
records_6 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
),
scan_7 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_6 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM scan_7 AS t
),
steps_9 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_8 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_8 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_10 AS (
  SELECT _case, j, moment, until FROM steps_9 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_9 GROUP BY _case, j
),
steps_11 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_5 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_5 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_12 AS (
  SELECT _case, j, moment, until FROM steps_11 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_11 GROUP BY _case, j
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_5 AS l JOIN right_8 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_14 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_13 AS p ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_12 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_5 AS l LEFT JOIN gaps_10 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, r._id AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_8 AS r LEFT JOIN gaps_12 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_11 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'m': v0."m", 'z': v1."z"} AS v0
    FROM join_14 AS t
  ) WHERE v0 IS NOT NULL
),
right_16 AS (
  SELECT t.*, k0 AS j
  FROM project_15 AS t
),
lasting_17 AS (
  SELECT * FROM right_16 WHERE _end IS NULL OR _ord[1] < _end[1]
),
found_18 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, _ord AS start FROM lasting_17) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR r._end >= [l._ord]
),
alone_19 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_18 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_20 AS (
  SELECT t._case, [t._ord] || t.t_ord AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_18 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_19 AS t
  UNION ALL BY NAME
  SELECT a._case, n._ord || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_19 AS a ASOF JOIN (SELECT *, _ord AS start FROM lasting_17) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_21 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m", 'z': v1."z"} AS v0
  FROM join_20 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_21
) ORDER BY _case, _ord, _input;

-- # stream with left tables on a field
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic d" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_5 AS (
  SELECT t.*, v0."m" AS j
  FROM scan_4 AS t
),
records_6 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
scan_7 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_6 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_7 AS t
),
steps_9 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_8 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_8 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_10 AS (
  SELECT _case, j, moment, until FROM steps_9 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_9 GROUP BY _case, j
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_5 AS l JOIN right_8 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_12 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_11 AS p ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_5 AS l LEFT JOIN gaps_10 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."m" AS k0,
      {'id': v0."id", 'm': v0."m", 'z': v1."z"} AS v0
    FROM join_12 AS t
  ) WHERE v0 IS NOT NULL
),
right_14 AS (
  SELECT t.*, v0."id" AS j
  FROM project_13 AS t
),
lasting_15 AS (
  SELECT * FROM right_14 WHERE _end IS NULL OR _ord[1] < _end[1]
),
rekey_16 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM lasting_15 AS t WHERE t.j IS NOT NULL
),
found_17 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, _ord AS start FROM rekey_16) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR r._end >= [l._ord]
),
alone_18 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_17 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_19 AS (
  SELECT t._case, [t._ord] || t.t_ord AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_17 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_18 AS t
  UNION ALL BY NAME
  SELECT a._case, n._ord || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_18 AS a ASOF JOIN (SELECT *, _ord AS start FROM rekey_16) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_20 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'y': v0."z", 'm': v1."m", 'z': v1."z"} AS v0
  FROM join_19 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_20
) ORDER BY _case, _ord, _input;

-- # outer tables on a field, rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
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
  FROM "topic a" AS t
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
records_7 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_8 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_7 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_9 AS (
  SELECT t.*, k0 AS j
  FROM scan_8 AS t
),
join_10 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_6 AS l JOIN right_9 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'m': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
right_12 AS (
  SELECT t.*, k0 AS j
  FROM project_11 AS t
),
steps_13 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, _ord AS moment, 1 AS step FROM right_12 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, _end, -1 FROM right_12 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_14 AS (
  SELECT _case, j, moment, until FROM steps_13 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_13 GROUP BY _case, j
),
pairs_15 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > r._ord THEN [l._ord] || r._ord ELSE r._ord || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, r._end) AS _end, l._id AS _id, CASE WHEN [l._ord] > r._ord THEN [l._ord] || r._ord ELSE r._ord || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, r._end AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_12 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR r._ord < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (r._end IS NULL OR [l._ord] < r._end)
),
join_16 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_15 AS p ASOF LEFT JOIN (SELECT * FROM gaps_14 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_14 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_13 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_17 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v1."m", 9) AS k0,
      {'z': v0."z"} AS v0
    FROM join_16 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_18 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_17 AS t WHERE k0 IS NOT NULL
),
newest_19 AS (
  SELECT * FROM mapped_18 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id DESC NULLS LAST) = 1
),
rekey_20 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_19 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_20;

-- # two writers of one topic
-- t
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'x': v0."n"} END AS v0
  FROM scan_1 AS t
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."n", 'x': v0."id"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # stream with rekeyed table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m", 'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."ref" AS k0,
      {'m': v0."m"} AS v0
    FROM scan_4 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_6 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_5 AS t WHERE t.k0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM rekey_6 AS t
),
found_8 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_7) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_9 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_8 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_10 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_9 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_9 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_7) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # stream with table, grouped
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
members_9 AS (
  SELECT t.*, v0."n" AS _group
  FROM join_8 AS t
),
rows_10 AS (
  SELECT * FROM members_9 WHERE _group IS NOT NULL
),
groups_11 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': count(v1."m")} AS v0
  FROM rows_10 AS t GROUP BY _case, _group
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 'cm': v0."a1"} AS v0
    FROM groups_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # missing table rows as values
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    v1 AS v0
  FROM join_8 AS t
),
members_10 AS (
  SELECT t.*, k0 AS _group
  FROM project_9 AS t WHERE v0 IS NOT NULL
),
rows_11 AS (
  SELECT * FROM members_10 WHERE _group IS NOT NULL
),
groups_12 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_11 AS t GROUP BY _case, _group
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # newest of stream with table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_8 AS t
),
table_10 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_9 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM table_10;

-- # streams
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # streams, left
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # streams, right
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_7 AS r ANTI JOIN pairs_8 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v1."id" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # streams, outer
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_7 AS r ANTI JOIN pairs_8 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    coalesce(v0."id", v1."id") AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # streams with conditions
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN v0."id" END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
filter_4 AS (
  SELECT * FROM scan_3 AS t
  WHERE v0 IS NOT NULL AND (v0."m" > 0)
),
right_5 AS (
  SELECT t.*, v0."id" AS j
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_8 AS (
  SELECT t.* FROM right_5 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_7 AS l JOIN on_time_8 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_10 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_9
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_7 AS l ANTI JOIN pairs_9 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_11 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # streams on two equalities
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."name" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."name"} END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
),
right_4 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."ref" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."ref"} END AS j
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_7 AS r ANTI JOIN pairs_8 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    {'id': coalesce(v0."id", v1."id"), 'name': coalesce(v0."name", v1."ref")} AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a stream with itself
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."n" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."n" AS k0,
    {'n': v0."n", 'm': v1."n"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."n" NULLS FIRST, value."m" NULLS FIRST;

-- # streams filtered
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
),
right_5 AS (
  SELECT t.*, k0 AS j
  FROM scan_4 AS t
  WHERE v0 IS NOT NULL
),
clock_6 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM filter_2
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_4
  ) GROUP BY _case, _at
),
on_time_7 AS (
  SELECT t.* FROM left_3 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_8 AS (
  SELECT t.* FROM right_5 AS t ASOF LEFT JOIN clock_6 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_7 AS l JOIN on_time_8 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_10 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_9
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_7 AS l ANTI JOIN pairs_9 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
filter_11 AS (
  SELECT * FROM join_10 AS t
  WHERE (v1."m" IS NULL)
),
project_12 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM filter_11 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_12
) ORDER BY _case, _ord, _input;

-- # three streams
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
),
left_11 AS (
  SELECT t.*, v0."id" AS j
  FROM project_10 AS t
),
scan_12 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
right_13 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_12 AS t
  WHERE v0 IS NOT NULL
),
clock_14 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord[1] AS _at, _ts FROM project_10
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_12
  ) GROUP BY _case, _at
),
on_time_15 AS (
  SELECT t.* FROM left_11 AS t ASOF LEFT JOIN clock_14 AS c ON c._case = t._case AND c._at < t._ord[1]
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_16 AS (
  SELECT t.* FROM right_13 AS t ASOF LEFT JOIN clock_14 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_17 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_15 AS l JOIN on_time_16 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_18 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_17
  UNION ALL BY NAME
  SELECT l._case, l._ord AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_15 AS l ANTI JOIN pairs_17 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_16 AS r ANTI JOIN pairs_17 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_19 AS (
  SELECT _case, _ord, _ts,
    coalesce(v0."id", v1."id") AS k0,
    {'n': v0."n", 'm': v0."m", 'z': v1."z"} AS v0
  FROM join_18 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_19
) ORDER BY _case, _ord, _input;

-- # streams, then a table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400005 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 5 AND l._ts + 5
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_7 AS r ANTI JOIN pairs_8 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    coalesce(k0, k1) AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
),
left_11 AS (
  SELECT t.*, k0 AS j
  FROM project_10 AS t
),
records_12 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'z': v."z"} END AS v0
  FROM "topic c" AS t
),
scan_13 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_12 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_14 AS (
  SELECT t.*, k0 AS j
  FROM scan_13 AS t
),
found_15 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_11 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_14) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord[1]]
),
alone_16 AS (
  SELECT t.* FROM left_11 AS t ANTI JOIN found_15 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_17 AS (
  SELECT t._case, t._ord || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_15 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, t._ord AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_16 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || a._ord AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_16 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_14) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord[1]]
  WHERE n._ts - a._ts <= 8
),
project_18 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v0."m", 'z': v1."z"} AS v0
  FROM join_17 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_18
) ORDER BY _case, _ord, _input;

-- # streams grouped
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
members_10 AS (
  SELECT t.*, v0."n" AS _group
  FROM join_9 AS t
),
rows_11 AS (
  SELECT * FROM members_10 WHERE _group IS NOT NULL
),
groups_12 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': arg_max_null(v1."m", t._ord)} AS v0
  FROM rows_11 AS t GROUP BY _case, _group
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 'l': v0."a1"} AS v0
    FROM groups_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # streams laid open
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'xs': v0."xs", 'n': v1."n"} AS v0
  FROM join_9 AS t
),
spread_11 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM project_10 AS t
),
lateral_12 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_11 AS t
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'x': v1} AS v0
  FROM lateral_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # tables on their keys and a field
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN k0 IS NOT NULL AND v0."id" IS NOT NULL THEN {'j0': k0, 'j1': v0."id"} END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, CASE WHEN k0 IS NOT NULL AND v0."id" IS NOT NULL THEN {'j0': k0, 'j1': v0."id"} END AS j
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
      {'_key': k0, 'id': v0."id"} AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # tables with conditions, right
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."n" > 0)
),
left_4 AS (
  SELECT t.*, v0."id" AS j
  FROM filter_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN v0."id" END AS j
  FROM scan_6 AS t
),
steps_8 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_4 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_4 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_9 AS (
  SELECT _case, j, moment, until FROM steps_8 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_8 GROUP BY _case, j
),
pairs_10 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_4 AS l JOIN right_7 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_11 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_10 AS p ASOF LEFT JOIN (SELECT * FROM gaps_9 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_7 AS r LEFT JOIN gaps_9 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_8 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v1."id" AS k0,
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_11 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_13 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_12 AS t WHERE k0 IS NOT NULL
),
newest_14 AS (
  SELECT * FROM mapped_13 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_15 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_14 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_15;

-- # table with stream and conditions, right
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
right_2 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN v0."id" END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (v0."m" > 0)
),
left_6 AS (
  SELECT t.*, v0."id" AS j
  FROM filter_5 AS t
),
rekey_7 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM left_6 AS t WHERE t.j IS NOT NULL
),
found_8 AS (
  SELECT r.*, l.k0 AS k100, l.v0 AS v100, l._ord AS t_ord
  FROM right_2 AS r ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS l
    ON r._case = l._case AND r.j = l.j AND l.start < [r._ord]
  WHERE l.j IS NULL OR l._end IS NULL
    OR CASE WHEN l._end IS NOT NULL THEN [l._end] END >= [r._ord]
),
alone_9 AS (
  SELECT t.* FROM right_2 AS t ANTI JOIN found_8 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_10 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0 AS k1, t.v0 AS v1, t.k100 AS k0, t.v100 AS v0
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, NULL AS k0, NULL AS v0, t.k0 AS k1, t.v0 AS v1
  FROM alone_9 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, n.k0, n.v0, a.k0 AS k1, a.v0 AS v1
  FROM alone_9 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_11 AS (
  SELECT _case, _ord, _ts,
    v1."id" AS k0,
    {'n': v1."n", 'm': v0."m"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # stream with table on two equalities
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."name" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."name"} END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_5 AS (
  SELECT t.*, CASE WHEN v0."id" IS NOT NULL AND v0."ref" IS NOT NULL THEN {'j0': v0."id", 'j1': v0."ref"} END AS j
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
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    {'id': v0."id", 'name': v0."name"} AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # stream with its own table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."n" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT t._case, [t._ord] || [t.t_ord] || [0] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_8 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] || [1] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."n" AS k0,
    {'n': v0."n", 'm': v1."n"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."n" NULLS FIRST, value."m" NULLS FIRST;

-- # stream with its own table by key
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT t._case, [t._ord] || [t.t_ord] || [0] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_6 AS t WHERE t.t_ord IS NOT NULL
),
project_8 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."n"} AS v0
  FROM join_7 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_8
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."n" NULLS FIRST, value."m" NULLS FIRST;

-- # streams with conditions, outer
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, CASE WHEN (v0."n" > 0) THEN v0."id" END AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
right_4 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN v0."id" END AS j
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM on_time_7 AS r ANTI JOIN pairs_8 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    coalesce(v0."id", v1."id") AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # elements of a table, named and grouped
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'id': v0."id", 'x': v1} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
members_6 AS (
  SELECT t.*, v0."id" AS _group
  FROM project_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."x") AS BIGINT)} AS v0
  FROM rows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # elements of a table joined by key
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'x': v1} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
left_6 AS (
  SELECT t.*, k0 AS j
  FROM project_5 AS t
),
records_7 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_8 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_7 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_9 AS (
  SELECT t.*, k0 AS j
  FROM scan_8 AS t
),
steps_10 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_9 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_9 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_11 AS (
  SELECT _case, j, moment, until FROM steps_10 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_10 GROUP BY _case, j
),
pairs_12 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_6 AS l JOIN right_9 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_13 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_12 AS p ASOF LEFT JOIN (SELECT * FROM gaps_11 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END AS _ord,
    l._ts, least(l._end, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, l._ord AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_6 AS l LEFT JOIN gaps_11 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_10 AS s WHERE s._case = l._case AND s.j = l.j)
),
live_14 AS (
  SELECT * FROM join_13 WHERE _end IS NULL
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'x': v0."x", 'n': v1."n"} AS v0
    FROM live_14 AS t
  ) WHERE v0 IS NOT NULL
),
members_16 AS (
  SELECT t.*, v0."n" AS _group
  FROM project_15 AS t
),
rows_17 AS (
  SELECT * FROM members_16 WHERE _group IS NOT NULL
),
groups_18 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."x") AS BIGINT)} AS v0
  FROM rows_17 AS t GROUP BY _case, _group
),
project_19 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_18 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_19;

-- # elements of a table joined on them
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'id': v0."id", 'x': v1} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
left_6 AS (
  SELECT t.*, v0."x" AS j
  FROM project_5 AS t
),
records_7 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_8 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_7 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_9 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_8 AS t
),
steps_10 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_9 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_9 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_11 AS (
  SELECT _case, j, moment, until FROM steps_10 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_10 GROUP BY _case, j
),
steps_12 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, _ord AS moment, 1 AS step FROM left_6 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, _end, -1 FROM left_6 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_13 AS (
  SELECT _case, j, moment, until FROM steps_12 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_12 GROUP BY _case, j
),
pairs_14 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_6 AS l JOIN right_9 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_15 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_14 AS p ASOF LEFT JOIN (SELECT * FROM gaps_11 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_13 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END AS _ord,
    l._ts, least(l._end, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, l._ord AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_6 AS l LEFT JOIN gaps_11 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_10 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_9 AS r LEFT JOIN gaps_13 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_12 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_16 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."x", v1."id") AS k0,
      {'id': v0."id", 'n': v1."n"} AS v0
    FROM join_15 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_17 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_16 AS t WHERE k0 IS NOT NULL
),
newest_18 AS (
  SELECT * FROM mapped_17 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" IS NOT NULL DESC, _id."l"."row" DESC NULLS LAST, _id."l"."index" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_19 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_18 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_19;

-- # stream with elements of a table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, v0."n" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_5 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_4 AS t
),
lateral_6 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_5 AS t
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'id': v0."id", 'x': v1} AS v0
    FROM lateral_6 AS t
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, v0."x" AS j
  FROM project_7 AS t
),
lasting_9 AS (
  SELECT * FROM right_8 WHERE _end IS NULL OR _ord[1] < _end[1]
),
rekey_10 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM lasting_9 AS t WHERE t.j IS NOT NULL
),
found_11 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, _ord AS start FROM rekey_10) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR r._end >= [l._ord]
),
alone_12 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_11 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_13 AS (
  SELECT t._case, [t._ord] || t.t_ord AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_11 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_12 AS t
  UNION ALL BY NAME
  SELECT a._case, n._ord || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_12 AS a ASOF JOIN (SELECT *, _ord AS start FROM rekey_10) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_14 AS (
  SELECT _case, _ord, _ts,
    v0."n" AS k0,
    {'n': v0."n", 'id': v1."id"} AS v0
  FROM join_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input;

-- # lateral over the fields of a join
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86400009 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 9 AND l._ts + 9
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'm': v1."m"} AS v0
  FROM join_9 AS t
),
spread_11 AS (
  SELECT t.*, unnest([v0."n", v0."m", 7]) AS e, unnest(range(len([v0."n", v0."m", 7]))) AS i
  FROM project_10 AS t
),
lateral_12 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_11 AS t
),
filter_13 AS (
  SELECT * FROM lateral_12 AS t
  WHERE ((v1 > 0) OR (v1 IS NULL))
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'x': v1} AS v0
  FROM filter_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input;

-- # stream laid open, then a table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'xs': v."xs"} END AS v0
  FROM "topic lists" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'x': v1} AS v0
  FROM lateral_3 AS t
),
left_5 AS (
  SELECT t.*, v0."x" AS j
  FROM project_4 AS t
),
records_6 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
scan_7 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_6 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_7 AS t
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM right_8 AS t WHERE t.j IS NOT NULL
),
found_10 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_5 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_9) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord[1]]
),
alone_11 AS (
  SELECT t.* FROM left_5 AS t ANTI JOIN found_10 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_12 AS (
  SELECT t._case, t._ord || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_10 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, t._ord AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_11 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || a._ord AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_11 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_9) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord[1]]
  WHERE n._ts - a._ts <= 8
),
project_13 AS (
  SELECT _case, _ord, _ts,
    v0."x" AS k0,
    {'x': v0."x", 'm': v1."m"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # table of a filtered stream, joined
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
filter_4 AS (
  SELECT * FROM scan_3 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
project_5 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'n': v0."n"} END AS v0
  FROM filter_4 AS t
),
table_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM table_6 AS t
),
found_8 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_7) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_9 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_8 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_10 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_9 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_9 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_7) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'m': v0."m", 'n': v1."n"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # table of a stream, joined on a field
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'n': v0."n"} END AS v0
  FROM scan_3 AS t
),
table_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."id" AS j
  FROM table_5 AS t
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
alone_9 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_8 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_10 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_9 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_9 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_11 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'m': v0."m", 'n': v1."n"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # tables of streams, joined on a field
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE v0 IS NOT NULL AND (v0."n" > 0)
),
project_6 AS (
  SELECT _case, _ord, _ts,
    v0."name" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id", 'n': v0."n"} END AS v0
  FROM filter_5 AS t
),
table_7 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM project_6 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, v0."id" AS j
  FROM table_7 AS t
),
steps_9 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_8 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_8 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_10 AS (
  SELECT _case, j, moment, until FROM steps_9 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_9 GROUP BY _case, j
),
steps_11 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_3 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_3 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_12 AS (
  SELECT _case, j, moment, until FROM steps_11 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_11 GROUP BY _case, j
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_8 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_14 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_13 AS p ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_12 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_10 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_8 AS r LEFT JOIN gaps_12 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_11 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."id", v1."id") AS k0,
      {'m': v0."m", 'n': v1."n"} AS v0
    FROM join_14 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_16 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_15 AS t WHERE k0 IS NOT NULL
),
newest_17 AS (
  SELECT * FROM mapped_16 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_18 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_17 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_18;

-- # pairs joined with pairs
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      {'n': v0."n", 'm': v1."m"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
left_9 AS (
  SELECT t.*, v0."m" AS j
  FROM project_8 AS t
),
records_10 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
scan_11 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_10 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_12 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_11 AS t
),
right_13 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_5 AS t
),
steps_14 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_13 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_13 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_15 AS (
  SELECT _case, j, moment, until FROM steps_14 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_14 GROUP BY _case, j
),
pairs_16 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_12 AS l JOIN right_13 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_17 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_16 AS p ASOF LEFT JOIN (SELECT * FROM gaps_15 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_12 AS l LEFT JOIN gaps_15 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_14 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_18 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."id" AS k0,
      {'id': v0."id", 'z': v0."z", 'y': v1."m"} AS v0
    FROM join_17 AS t
  ) WHERE v0 IS NOT NULL
),
right_19 AS (
  SELECT t.*, v0."id" AS j
  FROM project_18 AS t
),
steps_20 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, _ord AS moment, 1 AS step FROM right_19 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, _end, -1 FROM right_19 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_21 AS (
  SELECT _case, j, moment, until FROM steps_20 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_20 GROUP BY _case, j
),
steps_22 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, _ord AS moment, 1 AS step FROM left_9 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, _end, -1 FROM left_9 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_23 AS (
  SELECT _case, j, moment, until FROM steps_22 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_22 GROUP BY _case, j
),
pairs_24 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > r._ord THEN l._ord || r._ord || [0] ELSE r._ord || l._ord || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, r._end) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN l._ord > r._rank THEN l._ord || r._rank || [0] ELSE r._rank || l._ord || [1] END AS _rank, r._until AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, r._end AS r_end, l.j AS j
  FROM left_9 AS l JOIN right_19 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR r._ord < l._end) AND (r._end IS NULL OR l._ord < r._end)
),
join_25 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_24 AS p ASOF LEFT JOIN (SELECT * FROM gaps_21 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_23 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, (CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END) || [-2] AS _ord,
    l._ts, least(l._end, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, (l._ord) || [-2] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_9 AS l LEFT JOIN gaps_21 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_20 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, (CASE WHEN g.moment > r._ord THEN g.moment || r._ord ELSE r._ord END) || [-1] AS _ord,
    r._ts, least(r._end, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, (r._rank) || [-1] AS _rank,
    r._until AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_19 AS r LEFT JOIN gaps_23 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR r._ord < g.until)
      AND (g.moment IS NULL OR r._end IS NULL OR g.moment < r._end))
    OR NOT EXISTS (FROM steps_22 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_26 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."m", v1."id") AS k0,
      {'n': v0."n", 'm': v0."m", 'z': v1."z", 'y': v1."y"} AS v0
    FROM join_25 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_27 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_26 AS t WHERE k0 IS NOT NULL
),
newest_28 AS (
  SELECT * FROM mapped_27 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" IS NOT NULL DESC, _id."l"."l" DESC NULLS LAST, _id."l"."r" DESC NULLS LAST, _id."r" IS NOT NULL DESC, _id."r"."l" DESC NULLS LAST, _id."r"."r" DESC NULLS LAST) = 1
),
rekey_29 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_28 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_29;

-- # elements of elements of a table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic nested" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xss") AS e, unnest(range(len(v0."xss"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(v1) AS e, unnest(range(len(v1))) AS i
  FROM lateral_4 AS t
),
lateral_6 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts, t._end AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, t.k1, t.v1, NULL AS k2, t.e AS v2
  FROM spread_5 AS t
),
members_7 AS (
  SELECT t.*, v0."id" AS _group
  FROM lateral_6 AS t
),
rows_8 AS (
  SELECT * FROM members_7 WHERE _group IS NOT NULL
),
groups_9 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v2) AS BIGINT)} AS v0
  FROM rows_8 AS t GROUP BY _case, _group
),
project_10 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 's': v0."a1"} AS v0
    FROM groups_9 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_10;

-- # least different ones
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."id" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(DISTINCT v0."n" ORDER BY v0."n" ASC) FILTER (v0."n" IS NOT NULL))[1:2], []), 'a1': (list(v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1], 'a2': coalesce((list_transform([list(v0."name" ORDER BY t._ord) FILTER (v0."name" IS NOT NULL)], lambda v: list_filter(v, lambda y, i: list_position(v, y) = i))[1])[1:9], [])} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'i': v0."a0", 'u': v0."a1", 'c': v0."a2"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # collected from a rekeyed table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."name" AS k0,
      {'id': v0."id", 'n': v0."n"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
),
members_6 AS (
  SELECT t.*, v0."id" AS _group
  FROM live_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v0."n" ORDER BY t._id NULLS FIRST) FILTER (v0."n" IS NOT NULL))[1:3], []), 'a1': count(*), 'a2': try_cast(sum(v0."n") AS BIGINT)} AS v0
  FROM rows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0", 'k': v0."a1", 's': v0."a2"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # collected from joined tables
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
  SELECT t.*, v0."n" AS _group
  FROM join_7 AS t
),
rows_9 AS (
  SELECT * FROM members_8 WHERE _group IS NOT NULL
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v1."m" ORDER BY t._id IS NOT NULL, t._id."l" NULLS FIRST, t._id."r" NULLS FIRST) FILTER (v1."m" IS NOT NULL))[1:5], [])} AS v0
  FROM rows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # collected from the elements of a table
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic lists" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."xs") AS e, unnest(range(len(v0."xs"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
members_5 AS (
  SELECT t.*, v0."id" AS _group
  FROM lateral_4 AS t
),
rows_6 AS (
  SELECT * FROM members_5 WHERE _group IS NOT NULL
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v1 ORDER BY t._id IS NOT NULL, t._id."row" NULLS FIRST, t._id."index" NULLS FIRST) FILTER (v1 IS NOT NULL))[1:3], [])} AS v0
  FROM rows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # stream with a table of maps
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic tagged" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'n': v0."n", 'tags': v1."tags"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # stream of maps with a table
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic tagged" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  WHERE n._ts - a._ts <= 8
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tags': v0."tags", 'n': v1."n"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # stream of maps with a table of maps on a field
-- out
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic tagged" AS t
),
left_2 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic tagged" AS t
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
  SELECT t._case, [t._ord] || [t.t_ord] || [0] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_8 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] || [1] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM rekey_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 8
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."id" AS k0,
    {'a': v0."tags", 'b': v1."tags"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."a" NULLS FIRST, value."b" NULLS FIRST;

-- # tables of maps
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic tagged" AS t
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
  FROM "topic tagged" AS t
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
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_12 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_11 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, (CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END) || [-2] AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, ([l._ord]) || [-2] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, (CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END) || [-1] AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, ([r._ord]) || [-1] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_6 AS r LEFT JOIN gaps_10 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."id", v1."id") AS k0,
      {'a': v0."tags", 'b': v1."tags"} AS v0
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

-- # table of maps rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic tagged" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."id" AS k0,
      {'tags': v0."tags"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_5;

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

-- # changes of sessions
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
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 5 <= seen, FALSE)
),
until_then_6 AS (
  SELECT t.*, e._ord AS moment
  FROM timely_5 AS e JOIN timely_5 AS t
    ON t._case = e._case AND t._group = e._group AND t._ord <= e._ord
),
links_7 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING) < t._ts + 5, FALSE) AS goes_on
  FROM until_then_6 AS t
),
gaps_8 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_7 AS t
),
sessions_9 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord) AS session
  FROM gaps_8 AS t
),
members_10 AS (
  SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.moment) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.moment) AS stop
  FROM (SELECT *, max(CASE WHEN t._ord = t.moment THEN t.session END) OVER (PARTITION BY t._case, t._group, t.moment) AS own FROM sessions_9 AS t) AS t WHERE t.session = t.own
),
ends_11 AS (
  SELECT _case, _group, _ord AS moment, min(moment) FILTER (moment > _ord) AS until
  FROM members_10 GROUP BY _case, _group, _ord
),
windows_12 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, own, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT * FROM members_10 JOIN ends_11 USING (_case, _group, moment))
),
groups_13 AS (
  SELECT _case, moment AS _ord, max(t._ts) AS _ts, until AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_12 AS t GROUP BY _case, moment, until, _group
),
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_13 AS t
  ) WHERE v0 IS NOT NULL
),
changes_15 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_14 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_14 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_14 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM changes_15
) ORDER BY _case, _ord, _input, key IS NOT NULL, key."key" NULLS FIRST, key."start" NULLS FIRST, key."end" NULLS FIRST, value IS NOT NULL, value."n" NULLS FIRST;

-- # aggregate joined on its key, right
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
events_5 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_4
    UNION SELECT _case, _group, _end FROM rows_4 WHERE _end IS NOT NULL
  )
),
groups_6 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_5 AS e JOIN rows_4 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
filter_7 AS (
  SELECT * FROM groups_6 AS t
  WHERE (v0."a0" < CAST(2 AS BIGINT))
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM filter_7 AS t
  ) WHERE v0 IS NOT NULL
),
left_9 AS (
  SELECT t.*, k0 AS j
  FROM project_8 AS t
),
records_10 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m", 'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_11 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_10 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_12 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN v0."ref" END AS j
  FROM scan_11 AS t
),
steps_13 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_9 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_9 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_14 AS (
  SELECT _case, j, moment, until FROM steps_13 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_13 GROUP BY _case, j
),
pairs_15 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_9 AS l JOIN right_12 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_16 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_15 AS p ASOF LEFT JOIN (SELECT * FROM gaps_14 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_12 AS r LEFT JOIN gaps_14 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_13 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_17 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v1."ref" AS k0,
      {'n': v0."n", 'bk': k1} AS v0
    FROM join_16 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_18 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_17 AS t WHERE k0 IS NOT NULL
),
newest_19 AS (
  SELECT * FROM mapped_18 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_20 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_19 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_20;

-- # aggregate joined on its key, outer
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
events_5 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_4
    UNION SELECT _case, _group, _end FROM rows_4 WHERE _end IS NOT NULL
  )
),
groups_6 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_5 AS e JOIN rows_4 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
filter_7 AS (
  SELECT * FROM groups_6 AS t
  WHERE (v0."a0" < CAST(2 AS BIGINT))
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM filter_7 AS t
  ) WHERE v0 IS NOT NULL
),
left_9 AS (
  SELECT t.*, k0 AS j
  FROM project_8 AS t
),
records_10 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m", 'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_11 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_10 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_12 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN v0."ref" END AS j
  FROM scan_11 AS t
),
steps_13 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_12 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_12 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_14 AS (
  SELECT _case, j, moment, until FROM steps_13 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_13 GROUP BY _case, j
),
steps_15 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_9 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_9 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_16 AS (
  SELECT _case, j, moment, until FROM steps_15 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_15 GROUP BY _case, j
),
pairs_17 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_9 AS l JOIN right_12 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_18 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_17 AS p ASOF LEFT JOIN (SELECT * FROM gaps_14 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_16 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_9 AS l LEFT JOIN gaps_14 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_13 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, {'l': NULL, 'r': r._id} AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_12 AS r LEFT JOIN gaps_16 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_15 AS s WHERE s._case = r._case AND s.j = r.j)
),
project_19 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, v1."ref") AS k0,
      {'n': v0."n", 'bk': k1} AS v0
    FROM join_18 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_20 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_19 AS t WHERE k0 IS NOT NULL
),
newest_21 AS (
  SELECT * FROM mapped_20 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_22 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_21 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_22;

-- # aggregate joined on a field, left
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic b" AS t
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
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n", 'name': v."name"} END AS v0
  FROM "topic a" AS t
),
members_5 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_4 AS t WHERE v0 IS NOT NULL
),
rows_6 AS (
  SELECT * FROM members_5 WHERE _group IS NOT NULL
),
events_7 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_6
  )
),
groups_8 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': (list(v0."n" ORDER BY v0."n" DESC) FILTER (v0."n" IS NOT NULL))[1]} AS v0
  FROM events_7 AS e JOIN rows_6 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment
  GROUP BY e._case, e._group, e.moment, e.until
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'m': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
),
right_10 AS (
  SELECT t.*, v0."m" AS j
  FROM project_9 AS t
),
steps_11 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_10 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_10 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_12 AS (
  SELECT _case, j, moment, until FROM steps_11 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_11 GROUP BY _case, j
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_10 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_14 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_13 AS p ASOF LEFT JOIN (SELECT * FROM gaps_12 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_12 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_11 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_15 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."id" AS k0,
      {'n': v1."m", 'uk': k1, 'bk': k0} AS v0
    FROM join_14 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_16 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_15 AS t WHERE k0 IS NOT NULL
),
newest_17 AS (
  SELECT * FROM mapped_16 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_18 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_17 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_18;

-- # aggregate rekeyed
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
events_4 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_3
  )
),
groups_5 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_4 AS e JOIN rows_3 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment
  GROUP BY e._case, e._group, e.moment, e.until
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."n" AS k0,
      {'k': k0} AS v0
    FROM project_6 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_8 AS (
  SELECT t.*, [t._ord] AS place, [t._ord] AS start, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS stop,
    CASE WHEN t._end IS NOT NULL THEN [t._end] END AS until
  FROM project_7 AS t WHERE k0 IS NOT NULL
),
newest_9 AS (
  SELECT * FROM mapped_8 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id DESC NULLS LAST) = 1
),
rekey_10 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until), k0 AS _id, NULL AS _end FROM newest_9 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_10;

-- # aggregate joined and joined again
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, CASE WHEN (v0."m" > 0) THEN v0."ref" END AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'name': v."name"} END AS v0
  FROM "topic a" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_6 AS (
  SELECT t.*, v0."name" AS _group
  FROM scan_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
events_8 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_7
    UNION SELECT _case, _group, _end FROM rows_7 WHERE _end IS NOT NULL
  )
),
groups_9 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*)} AS v0
  FROM events_8 AS e JOIN rows_7 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
filter_10 AS (
  SELECT * FROM groups_9 AS t
  WHERE (v0."a0" < CAST(2 AS BIGINT))
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM filter_10 AS t
  ) WHERE v0 IS NOT NULL
),
right_12 AS (
  SELECT t.*, k0 AS j
  FROM project_11 AS t
),
steps_13 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_12 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_12 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_14 AS (
  SELECT _case, j, moment, until FROM steps_13 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_13 GROUP BY _case, j
),
pairs_15 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_12 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_16 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_15 AS p ASOF LEFT JOIN (SELECT * FROM gaps_14 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_14 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_13 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_17 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."ref" AS k0,
      {'id': v0."id", 'n': v1."n", 'bk': k0} AS v0
    FROM join_16 AS t
  ) WHERE v0 IS NOT NULL
),
left_18 AS (
  SELECT t.*, v0."id" AS j
  FROM project_17 AS t
),
records_19 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
scan_20 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_19 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_21 AS (
  SELECT t.*, v0."id" AS j
  FROM scan_20 AS t
),
steps_22 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_21 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_21 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_23 AS (
  SELECT _case, j, moment, until FROM steps_22 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_22 GROUP BY _case, j
),
pairs_24 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN l._rank > [r._ord] THEN l._rank || [r._ord] ELSE [r._ord] || l._rank END AS _rank, l._until AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._end AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_18 AS l JOIN right_21 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_25 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_24 AS p ASOF LEFT JOIN (SELECT * FROM gaps_23 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > l._ord THEN g.moment || l._ord ELSE l._ord END AS _ord,
    l._ts, least(l._end, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, l._rank AS _rank,
    l._until AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_18 AS l LEFT JOIN gaps_23 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR l._ord < g.until)
      AND (g.moment IS NULL OR l._end IS NULL OR g.moment < l._end))
    OR NOT EXISTS (FROM steps_22 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_26 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."id" AS k0,
      {'n': v0."n", 'z': v1."z", 'bk': v0."bk"} AS v0
    FROM join_25 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_27 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_26 AS t WHERE k0 IS NOT NULL
),
newest_28 AS (
  SELECT * FROM mapped_27 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" IS NOT NULL DESC, _id."l"."l" DESC NULLS LAST, _id."l"."r" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_29 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_28 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_29;

-- # tables by key, outer, rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m"} END AS v0
  FROM "topic b" AS t
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
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(v0."n", v1."m", 7) AS k0,
      {'ak': k0, 'bk': k1} AS v0
    FROM join_12 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_14 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_13 AS t WHERE k0 IS NOT NULL
),
newest_15 AS (
  SELECT * FROM mapped_14 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id DESC NULLS LAST) = 1
),
rekey_16 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_15 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_16;

-- # tables on fields, filtered and rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic a" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."name" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'m': v."m", 'ref': v."ref"} END AS v0
  FROM "topic b" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, v0."ref" AS j
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
filter_11 AS (
  SELECT * FROM join_10 AS t
  WHERE (((v0."n" IS NULL) OR (v1."m" IS NULL)) OR (v0."n" <> v1."m"))
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."name" AS k0,
      {'id': v0."id", 'n': v0."n", 'm': v1."m"} AS v0
    FROM filter_11 AS t
  ) WHERE v0 IS NOT NULL
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      v0."id" AS k0,
      {'n': v0."n", 'm': v0."m"} AS v0
    FROM project_12 AS t
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

-- # tables on fields, rekeyed, counted
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      coalesce(v0."n", v1."m") AS k0,
      {'id': v0."id"} AS v0
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
),
members_17 AS (
  SELECT t.*, v0."id" AS _group
  FROM rekey_16 AS t
),
rows_18 AS (
  SELECT * FROM members_17 WHERE _group IS NOT NULL
),
groups_19 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_18 AS t GROUP BY _case, _group
),
project_20 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c': v0."a0"} AS v0
    FROM groups_19 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_20;

-- # changes of outer tables, rekeyed
-- out
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'n': v."n"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'm': v."m"} END AS v0
  FROM "topic b" AS t
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
      coalesce(v0."n", v1."m") AS k0,
      {'id': v0."id"} AS v0
    FROM join_12 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_14 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_13 AS t WHERE k0 IS NOT NULL
),
spans_15 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, k0 ORDER BY moment) AS following FROM (SELECT _case, k0, start AS moment FROM mapped_14 WHERE start IS NOT NULL UNION SELECT _case, k0, stop AS moment FROM mapped_14 WHERE stop IS NOT NULL UNION SELECT _case, k0, until AS moment FROM mapped_14 WHERE until IS NOT NULL)
),
counts_16 AS (
  SELECT s.moment, s.following, v.*
  FROM spans_15 AS s JOIN mapped_14 AS v ON s._case = v._case AND s.k0 = v.k0
    AND v.start <= s.moment AND (v.until IS NULL OR s.moment < v.until)
  QUALIFY row_number() OVER (PARTITION BY s._case, s.k0, s.moment ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
living_17 AS (
  SELECT *, lag(following) OVER (PARTITION BY _case, k0 ORDER BY moment) IS NOT DISTINCT FROM moment AND lag(place) OVER (PARTITION BY _case, k0 ORDER BY moment) = place
    AND lag(start) OVER (PARTITION BY _case, k0 ORDER BY moment) = start AND lag(_id) OVER (PARTITION BY _case, k0 ORDER BY moment) IS NOT DISTINCT FROM _id AS goes_on
  FROM counts_16 WHERE stop IS NULL OR moment < stop
),
stays_18 AS (
  SELECT *, count(*) FILTER (NOT coalesce(goes_on, FALSE)) OVER (PARTITION BY _case, k0 ORDER BY moment) AS stay FROM living_17
),
rekey_19 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until, _ord, moment, following, goes_on, stay), k0 AS _id, moment AS _ord,
    (last_value(following) OVER (PARTITION BY _case, k0, stay ORDER BY moment
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) AS _end
  FROM stays_18 QUALIFY row_number() OVER (PARTITION BY _case, k0, stay ORDER BY moment) = 1
),
lasting_20 AS (
  SELECT * FROM rekey_19 WHERE _end IS NULL OR _ord[1] < _end[1]
),
changes_21 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM lasting_20 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM lasting_20 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM lasting_20 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord[1] = t._end[1]
  )
),
project_22 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'id': v0."id"} END AS v0
  FROM changes_21 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_22
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."id" NULLS FIRST;
