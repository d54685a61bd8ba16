-- # a SELECT of its own
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

-- # a table of a stream
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

-- # a stream of groups
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

-- # an unknown source
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

-- # an unknown column
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

-- # an unknown function
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'KSQL_COL_0': lsqlc_upper(v0."ITEM")} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a comparison with NULL
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."ITEM" IS NULL)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # an order of arrays
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT", 'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (CASE WHEN CAST(0 AS BIGINT) BETWEEN 0 AND 2147483646 THEN (v0."TAGS")[CAST(0 AS BIGINT) + 1] END < 'a')
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'AMOUNT': v0."AMOUNT"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # a comparison of two types
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (cast(length(v0."ITEM") as integer) > v0."AMOUNT")
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # INSERT INTO a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'CITY': v0."ITEM", 'BOSS': v0."AMOUNT"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # INSERT INTO with other columns
-- payments
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'PAID': v0."AMOUNT"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a statement for a server
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

-- # an unknown property
-- x
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

-- # a name twice
-- ORDERS2
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'PAID': v0."PAID"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # EXPLODE in WHERE
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."TAGS") AS e, unnest(range(len(v0."TAGS"))) AS i
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
    {'TAG': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # EXPLODE in EXPLODE
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest([v0."TAGS"]) AS e, unnest(range(len([v0."TAGS"]))) AS i
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
    {'TAG': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # EXPLODE over a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(list_transform(list_filter(case when CAST(0 AS BIGINT) is not null and try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) as hugeint) - cast(CAST(0 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(0 AS BIGINT) <= try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) or CAST(1 AS BIGINT) < 0 and CAST(0 AS BIGINT) >= try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT)))) then cast(generate_series(CAST(0 AS BIGINT), try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e0: (NOT case when list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))) is not null then coalesce(list_contains(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))), TRUE), TRUE is null and len(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL)))) > list_count(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))))) end)), lambda e0: list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: CASE WHEN (cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) THEN CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END ELSE CAST(NULL AS VARCHAR) END))) AS e, unnest(range(len(list_transform(list_filter(case when CAST(0 AS BIGINT) is not null and try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) as hugeint) - cast(CAST(0 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(0 AS BIGINT) <= try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))) or CAST(1 AS BIGINT) < 0 and CAST(0 AS BIGINT) >= try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT)))) then cast(generate_series(CAST(0 AS BIGINT), try(((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) or isnan(try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as DOUBLE)) end) as bigint) end)) - (CAST(1 AS BIGINT))), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e0: (NOT case when list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))) is not null then coalesce(list_contains(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))), TRUE), TRUE is null and len(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL)))) > list_count(list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: ((cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) AND (CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END IS NULL))))) end)), lambda e0: list_transform(case when CAST(1 AS BIGINT) is not null and try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) is not null and CAST(1 AS BIGINT) is not null and not (CAST(1 AS BIGINT) <> 0 and abs(cast(try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) as hugeint) - cast(CAST(1 AS BIGINT) as hugeint)) >= abs(cast(CAST(1 AS BIGINT) as hugeint)) * 1000000) then case when (CAST(1 AS BIGINT) > 0 and CAST(1 AS BIGINT) <= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT) or CAST(1 AS BIGINT) < 0 and CAST(1 AS BIGINT) >= try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) then cast(generate_series(CAST(1 AS BIGINT), try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT), CAST(1 AS BIGINT)) as bigint[]) else [] end end, lambda e1: CASE WHEN (cast(try(cast(try((e0) // ((case when (case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) = 9223372036854775808::double then 9223372036854775807 else try_cast(trunc(case when abs(CAST(2.0 AS DOUBLE)) = 1 and isinf(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) or isnan(try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) then 'NaN'::double else pow(CAST(2.0 AS DOUBLE), try_cast(try((try_cast(cast(len([v0."ITEM"]) as integer) as BIGINT)) - (e1)) as DOUBLE)) end) as bigint) end))) as hugeint) % (CAST(2 AS BIGINT))) as bigint) = CAST(1 AS BIGINT)) THEN CASE WHEN try((e1) - (CAST(1 AS BIGINT))) BETWEEN 0 AND 2147483646 THEN ([v0."ITEM"])[try((e1) - (CAST(1 AS BIGINT))) + 1] END ELSE CAST(NULL AS VARCHAR) END))))) AS i
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
    {'ITEM': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # a lambda of the wrong form
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'TAGS': list_transform(v0."TAGS", lambda e0: e0)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a lambda where none can stand
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'Y': try(abs(v0."AMOUNT"))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # parameters of one name
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'Y': case when '' is not null then list_reduce(list_concat([{'s': cast('' as VARCHAR), 'e': cast(null as VARCHAR)}], list_transform(v0."TAGS", lambda d: {'s': cast(null as VARCHAR), 'e': cast(d as VARCHAR)})), lambda a0, b0: {'s': struct_extract(a0, 's'), 'e': CAST(NULL AS VARCHAR)}).s end} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a state of two types
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'Y': case when '0' is not null then list_reduce(list_concat([{'s': cast('0' as VARCHAR), 'e': cast(null as VARCHAR)}], list_transform(v0."TAGS", lambda d: {'s': cast(null as VARCHAR), 'e': cast(d as VARCHAR)})), lambda a0, b0: {'s': struct_extract(b0, 'e'), 'e': CAST(NULL AS VARCHAR)}).s end} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a filter by no condition
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'Y': list_filter(v0."TAGS", lambda e0: coalesce((e0 <> ''), FALSE))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a pattern that ends with its escape character
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND try(v0."ITEM" LIKE 'a!!' ESCAPE '!')
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # all fields of no struct
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'A': struct_extract({'A': v0."ITEM"}, 'A')} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # EXPLODE of no array
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."TAGS") AS e, unnest(range(len(v0."TAGS"))) AS i
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
    {'TAG': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # the offset of a record that another query makes
-- A
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
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'X': _ts} END AS v0
  FROM project_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # a star that finds the places of such records
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM", 'AMOUNT': v."AMOUNT", 'TAGS': v."TAGS", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS", 'ROWPARTITION': v0."ROWPARTITION", 'ROWOFFSET': v0."ROWOFFSET", 'ROWTIME': _ts} END AS v0
  FROM scan_1 AS t
),
filter_3 AS (
  SELECT * FROM project_2 AS t
  WHERE (k0 IS NOT NULL)
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
  WHERE v0 IS NOT NULL
),
scan_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'PAID': v."PAID", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic payments" AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'PAID': v0."PAID", 'ROWPARTITION': v0."ROWPARTITION", 'ROWOFFSET': v0."ROWOFFSET", 'ROWTIME': _ts} END AS v0
  FROM scan_5 AS t
),
filter_7 AS (
  SELECT * FROM project_6 AS t
  WHERE (k0 IS NOT NULL)
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM filter_7 AS t
  WHERE v0 IS NOT NULL
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_8
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_4) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_11 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_4
),
timed_12 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_8) AS t
  ASOF LEFT JOIN clock_11 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_10 AS l JOIN timed_12 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3600000 AND l._ts + 3600000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_14 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_13
),
project_15 AS (
  SELECT _case, _ord, _ts,
    v0."ITEM" AS k0,
    {'A_AMOUNT': v0."AMOUNT", 'A_TAGS': v0."TAGS", 'A_ROWTIME': v0."ROWTIME", 'A_ROWPARTITION': v0."ROWPARTITION", 'A_ROWOFFSET': v0."ROWOFFSET", 'A_ID': k0, 'P_PAID': v1."PAID", 'P_ROWTIME': v1."ROWTIME", 'P_ROWPARTITION': v1."ROWPARTITION", 'P_ROWOFFSET': v1."ROWOFFSET", 'P_ID': k1} AS v0
  FROM join_14 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_15
) ORDER BY _case, _ord, _input;

-- # a primary key of a stream
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a type that is none
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a value of another type than its column
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

-- # an element of another type than its array's
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

-- # a row without its primary key
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
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
      {'CITY': v0."CITY"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- # an inserted column twice
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
