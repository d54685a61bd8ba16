-- # a letter that one engine lacks
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'big': v."big"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_format_time(epoch_ms(case when v0."big" between -62135596800000 and 253402300799999 then v0."big" end), 'yyyy')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a letter too often
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_format_time(epoch_ms(case when try_cast(v0."id" as BIGINT) between -62135596800000 and 253402300799999 then try_cast(v0."id" as BIGINT) end), 'yy')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # text without quotes
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_parse_time(v0."item", 'yyyy-MM-dd''T''HH:mm')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a part of a pattern that may be missing
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_parse_time(v0."item", 'yyyy-MM')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a quote that is not closed
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_parse_time(v0."item", 'yyyy ''''MM')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a pattern that reads nothing
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': cast(lsqlc_parse_time(v0."item", '-y') as date)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a field read twice
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': cast(lsqlc_parse_time(v0."item", 'HH:mm') as date)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # numbers that run into each other
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': cast(lsqlc_parse_time(v0."item", 'ddMMyyyy') as date)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a year that a single letter follows
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': cast(lsqlc_parse_time(v0."item", 'yyyyMMdd') as date)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a fraction right after a compact date
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_parse_time(v0."item", 'yyyyMMddHHmmss.SSS')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a date of a time
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_format_time(make_timestamp((((try_cast(v0."id" as BIGINT)) % 86400000 + 86400000) % 86400000 * 1000)), 'HH')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a pattern that is no literal
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': cast(lsqlc_parse_time(v0."item", 'y') as date)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a pattern that is null
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_matches(v0."item", '')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a pattern for a number
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_parse_time(v0."item", 'yyyy')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a broken regular expression
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_matches(v0."item", '(a)')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a class that Python lacks
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_matches(v0."item", '\p{L}')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a class in a class
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_matches(v0."item", '[a\[b]')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # groups, of which the documents do not tell
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_match_arrays(v0."item", 'a(?:b)')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # more places than there are
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': case when isfinite(v0."price") then lsqlc_round_double(v0."price", -2) else v0."price" end} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # an array without a name
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': case when (v0."tags") is not null and ([1]) is not null and (v0."tags") is not null then cast(list_zip((v0."tags"), ([1]), (v0."tags"), true) as STRUCT("a" VARCHAR, "b" INTEGER, "c" VARCHAR)[]) end} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # two fields of one name
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': case when (v0."tags") is not null and ([1]) is not null then cast(list_zip((v0."tags"), ([1]), false) as STRUCT("a" VARCHAR, "b" INTEGER)[]) end} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # the current day where it would be kept
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
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'x': (date '1970-01-01' + cast(case when try_cast(1 as BIGINT) between -719162 and 2932896 then try_cast(1 as BIGINT) end as integer))} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- # what Lenses keeps inside
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_json_text(v0."item")} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a path with a filter
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_json_first(v0."item", '$.a')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a path from nowhere
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': lsqlc_json_all(v0."item", '$.a[*]')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # an identifier where rows would be kept
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'amount': v."amount"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'x': regexp_replace(md5(cast(_ord as varchar) || '#0'), '([0-9a-f]{8})([0-9a-f]{4}).([0-9a-f]{3}).([0-9a-f]{3})([0-9a-f]{12})', '\1-\2-3\3-8\4-\5')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;
