-- # dead_letters
-- strategy: STREAM aggregation, native
-- query dead_letters
-- keeps one row per group: STRING
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW judged_2 AS
SELECT *, CASE _topic
  WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
  ELSE get(transform(array(try_parse_json(_line)), v -> CASE
    WHEN v IS NULL THEN 'the line is no JSON'
    WHEN is_variant_null(v) THEN 'expected an object'
    WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
    ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
      if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', NULL), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad FROM lines_1;
-- counted_4: judged_2, counting count_if(_bad IS NOT NULL) AS `bad record`
CREATE TEMPORARY VIEW good_3 AS
SELECT _topic, _line FROM counted_4 WHERE _bad IS NULL;
CREATE TEMPORARY VIEW grouped_7 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_5 AS (
  SELECT explode(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false')))) AS _r0
  FROM good_3 WHERE _topic = 'orders'
),
-- one column for each facet
records_6 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_5
)
-- the group of each record
SELECT _ord, _ts, k0, v0, v0.`item` AS _group
FROM records_6;
-- counted_8: grouped_7, counting count_if(v0 IS NULL) AS `null value`, count_if(v0 IS NOT NULL AND _group IS NULL) AS `null group key`
CREATE TEMPORARY VIEW written_13 AS
WITH
-- records without a group do not count
members_9 AS (
  SELECT * FROM counted_8 WHERE v0 IS NOT NULL AND _group IS NOT NULL
),
-- one row per group, from all its records
groups_10 AS (
  SELECT max(_ord) AS _ord, max(_ts) AS _ts, _group AS k0,
    named_struct('a0', count(*)) AS v0
  FROM members_9 GROUP BY _group
),
-- a null value deletes
rows_11 AS (
  SELECT *, v0 IS NOT NULL AS _live FROM groups_10
),
-- the projections; a row whose whole value is null is deleted
project_12 AS (
  SELECT _ord, _ts, new_key AS k0, new_value AS v0, new_value IS NOT NULL AS _live FROM (
    SELECT *, k0 AS new_key,
      if(_live, named_struct('n', v0.`a0`), NULL) AS new_value
    FROM rows_11)
)
-- the lines of dead_letters
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', if(_live, v0, NULL)), map('ignoreNullFields', 'false')) AS line
FROM project_12;
-- written to dead_letters in update mode
SELECT line FROM written_13;

-- query dead_letters.letters
-- keeps no state
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW written_4 AS
WITH
-- the error of each line
judged_2 AS (
  SELECT _topic, _line, CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, CAST(NULL AS STRUCT<key: STRING, key_encoding: STRING, value: STRING, value_encoding: STRING>) AS _texts, CASE _topic
    WHEN 'orders' THEN CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE coalesce(nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'ordinal\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('ordinal', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('ordinal', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'timestamp\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), concat('timestamp', ': expected BIGINT NOT NULL'), if(coalesce(schema_of_variant(e0) = 'BIGINT', FALSE), NULL, concat('timestamp', ': expected BIGINT')))), 0), get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', NULL), ''), concat('value', ': expected a STRUCT')))), 0)), ''), if(try_variant_get(v, '$.timestamp', 'bigint') BETWEEN 0L AND 253402300799999L, NULL, 'timestamp: expected a time from 1970 to 9999')) END), 0) END END AS _bad
  FROM lines_1
),
-- the source of each bad record, its error, and its content
letters_3 AS (
  SELECT coalesce(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 0L) AS _ord, if(try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT) BETWEEN 0L AND 253402300799999L, try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 2) AS BIGINT), 0L) AS _ts,
    CAST(NULL AS INT) AS k0,
    named_struct('topic', _topic, 'ordinal', try_cast(regexp_extract(_line, '^[ \\t]*\\{[ \\t]*"ordinal"[ \\t]*:[ \\t]*\\[?[ \\t]*(-?[0-9]{1,18})\\b[^"]*"timestamp"[ \\t]*:[ \\t]*(-?[0-9]{1,18})\\b', 1) AS BIGINT), 'reason', _bad, 'record', _line, 'partition', _partition, 'offset', _offset, 'key', _texts.key, 'key_encoding', _texts.key_encoding, 'value', _texts.value, 'value_encoding', _texts.value_encoding, 'model', 'dead_letters') AS v0
  FROM judged_2 WHERE _bad IS NOT NULL
)
-- the lines of letters
SELECT _ord, to_json(named_struct('ordinal', _ord, 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM letters_3;
-- written to letters in append mode
SELECT line FROM written_4;
