-- # table_doubles
-- strategy: TABLE aggregation: weighted changes of each row, native
-- query table_doubles
-- keeps the two newest versions of each row, by key STRING
-- keeps one row per group: STRING
SET spark.sql.objectHashAggregate.sortBased.fallbackThreshold = 1000000;
SET spark.sql.streaming.unsupportedOperationCheck = false;
-- lines_1: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW records_3 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING, `paid`: DOUBLE>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'the line is no JSON')), if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'paid\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(((schema_of_variant(e1) = 'BIGINT' OR schema_of_variant(e1) = 'DOUBLE' OR startswith(schema_of_variant(e1), 'DECIMAL')) AND abs(try_variant_get(e1, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e1) = 'STRING' AND try_variant_get(e1, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat(concat('value', '.paid'), ': expected DOUBLE')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', w)))), 0), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'payments'
)
-- one column for each facet
SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
FROM parsed_2;
-- counted_4: records_3, counting count_if(k0 IS NULL) AS `null key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- a TABLE has no row without a key; a null value deletes
changes_5 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM counted_4 WHERE k0 IS NOT NULL
),
-- of each row only what the groups need
rows_6 AS (
  SELECT _ord, _ts, k0, if(_live, named_struct('group_key', v0.`item`, 'argument0', v0.`paid`), NULL) AS content
  FROM changes_5
),
-- the newest version of each row in this batch
newest_7 AS (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY k0 ORDER BY _ord DESC) AS nth FROM rows_6
  ) WHERE nth = 1
),
-- each row as it is now, and as it was before this batch
versions_8 AS (
  SELECT k0, max_by(struct(_ord, _ts, content), _ord, 2) AS versions FROM newest_7 GROUP BY k0
),
-- a row that changed leaves its old group and enters its new one
changes_9 AS (
  SELECT row_now._ord AS _ord, row_now._ts AS _ts, inline(array(
      struct(row_now.content AS content, 1L AS weight),
      struct(row_before.content AS content, -1L AS weight)))
  FROM (SELECT get(versions, 0) AS row_now, get(versions, 1) AS row_before
    FROM versions_8)
  WHERE NOT (row_now.content <=> row_before.content)
),
-- the sums of the changes; a group without rows is deleted
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, content.group_key AS k0,
    if(sum(weight) = 0, NULL, named_struct('a0', if(sum(if(content.argument0 IS NULL, 0L, weight)) = 0, NULL, CASE WHEN sum(if(isnan(content.argument0), weight, 0L)) > 0 OR (sum(if(content.argument0 = double('Infinity'), weight, 0L)) > 0 AND sum(if(content.argument0 = double('-Infinity'), weight, 0L)) > 0) THEN double('NaN') WHEN sum(if(content.argument0 = double('Infinity'), weight, 0L)) > 0 THEN double('Infinity') WHEN sum(if(content.argument0 = double('-Infinity'), weight, 0L)) > 0 THEN double('-Infinity') ELSE get(transform(array(struct(array(sum(if(abs(content.argument0) >= 6.310887241768095e-30D AND abs(content.argument0) < 4.235164736271502e-22D, CAST(content.argument0 % 4.70197740328915e-38D / 7.006492321624085e-46D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 6.310887241768095e-30D AND abs(content.argument0) < 2.842170943040401e-14D, CAST(content.argument0 % 3.1554436208840472e-30D / 4.70197740328915e-38D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 6.310887241768095e-30D AND abs(content.argument0) < 1.9073486328125e-06D, CAST(content.argument0 % 2.117582368135751e-22D / 3.1554436208840472e-30D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 2.117582368135751e-22D AND abs(content.argument0) < 128.0D, CAST(content.argument0 % 1.4210854715202004e-14D / 2.117582368135751e-22D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 1.4210854715202004e-14D AND abs(content.argument0) < 8589934592.0D, CAST(content.argument0 % 9.5367431640625e-07D / 1.4210854715202004e-14D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 9.5367431640625e-07D AND abs(content.argument0) < 5.764607523034235e+17D, CAST(content.argument0 % 64.0D / 9.5367431640625e-07D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 64.0D AND abs(content.argument0) < 3.8685626227668134e+25D, CAST(content.argument0 % 4294967296.0D / 64.0D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 4294967296.0D AND abs(content.argument0) < 2.596148429267414e+33D, CAST(content.argument0 % 2.8823037615171174e+17D / 4294967296.0D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 2.8823037615171174e+17D AND abs(content.argument0) < 8.711228593176025e+40D, CAST(content.argument0 % 1.9342813113834067e+25D / 2.8823037615171174e+17D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 1.9342813113834067e+25D AND abs(content.argument0) < 8.711228593176025e+40D, CAST(content.argument0 % 1.298074214633707e+33D / 1.9342813113834067e+25D AS BIGINT) * weight, 0L)), sum(if(abs(content.argument0) >= 1.298074214633707e+33D AND abs(content.argument0) < 8.711228593176025e+40D, CAST(content.argument0 % 8.711228593176025e+40D / 1.298074214633707e+33D AS BIGINT) * weight, 0L))) AS near, collect_list(if(abs(content.argument0) >= 8.711228593176025e+40D AND abs(content.argument0) < double('Infinity') OR content.argument0 <> 0D AND abs(content.argument0) < 6.310887241768095e-30D, content.argument0 * weight, NULL)) AS far)), p -> if(size(p.far) = 0, aggregate(p.near, struct(0L AS carry, 0D AS total, 7.006492321624085e-46D AS unit), (s, d) -> struct(shiftright(d + s.carry + 33554432L, 26) AS carry, s.total + (d + s.carry - shiftleft(shiftright(d + s.carry + 33554432L, 26), 26)) * s.unit AS total, s.unit * 67108864.0D AS unit), s -> s.total + s.carry * s.unit), get(transform(array(aggregate(transform(sequence(0, 81), i -> aggregate(p.far, coalesce(if(i >= 36, get(p.near, i - 36), 0L), 0L), (s, y) -> s + if(abs(y) >= pow(2D, (i * 26 + -1086)) AND abs(y) < pow(2D, (i * 26 + -1086) + 79), CAST(y * pow(2D, if((i * 26 + -1086) < -450, 600, 0)) % pow(2D, (i * 26 + -1086) + 26 + if((i * 26 + -1086) < -450, 600, 0)) / pow(2D, (i * 26 + -1086) + if((i * 26 + -1086) < -450, 600, 0)) AS BIGINT), 0L))), struct(0L AS carry, CAST(array() AS ARRAY<BIGINT>) AS digits), (s, d) -> struct(shiftright(d + s.carry + 33554432L, 26) AS carry, array_append(s.digits, (d + s.carry - shiftleft(shiftright(d + s.carry + 33554432L, 26), 26))) AS digits), s -> array_append(s.digits, s.carry))), n -> get(transform(array(array_max(transform(n, (d, i) -> if(d <> 0L, i, -1)))), t -> if(t < 0, 0D, (coalesce(get(n, t), 0L) * 1.0D + coalesce(get(n, t - 1), 0L) * 1.4901161193847656e-08D + coalesce(get(n, t - 2), 0L) * 2.220446049250313e-16D + coalesce(get(n, t - 3), 0L) * 3.308722450212111e-24D) * pow(2D, CAST((t * 26 + -1086) div 2 AS INT)) * pow(2D, (t * 26 + -1086) - CAST((t * 26 + -1086) div 2 AS INT)))), 0)), 0))), 0) END))) AS v0
  FROM changes_9 WHERE content.group_key IS NOT NULL GROUP BY content.group_key
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('paid', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of table_doubles
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to table_doubles in update mode
SELECT line FROM written_13;
