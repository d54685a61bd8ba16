-- # stream_stream
-- strategy: STREAM with STREAM: Spark's own join, with a watermark on each side
-- query stream_stream
-- keeps the records of both sides, for 86460000 ms behind the newest
SET spark.sql.streaming.multipleWatermarkPolicy = max;
SET spark.sql.streaming.statefulOperator.allowMultiple = false;
-- lines_1: the lines of orders as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_4 AS
WITH
-- the records of orders, with the fields that the query uses
parsed_2 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key|item)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`item`: STRING>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'the line is no JSON')), r), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'orders\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_1 WHERE _topic = 'orders'
),
-- one column for each facet
records_3 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_2
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_3;
-- timed_5: dated_4 with a watermark 86460000 ms behind _at
CREATE TEMPORARY VIEW left_7 AS
WITH
-- the watermark is behind the newest time
timely_6 AS (
  SELECT * FROM timed_5
)
-- the records of the left side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'left', '')) AS join_value
FROM timely_6 WHERE v0 IS NOT NULL;
-- lines_8: the lines of payments as one stream, in order of arrival
CREATE TEMPORARY VIEW dated_11 AS
WITH
-- the records of payments, with the fields that the query uses
parsed_9 AS (
  SELECT explode(array(get(transform(array(from_json(if(_line RLIKE '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', regexp_replace(_line, '((?<!\\\\)"(?:key)"[ \\t\\r\\n]*:[ \\t\\r\\n]*)(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)|-0)(?=[ \\t\\r\\n]*[,}])', '$1"$2"'), _line), 'ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<`paid`: DOUBLE>', map('mode', 'FAILFAST', 'allowSingleQuotes', 'false'))), r -> if(r IS NULL, r, if(r.timestamp BETWEEN 0L AND 253402300799999L, if(NOT is_valid_utf8(_line) OR ((contains(_line, '\\ud') OR contains(_line, '\\uD')) AND _line RLIKE '(?<!\\\\)(?:\\\\\\\\)*+(?:\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])|(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F])'), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'the line is no JSON')), if(coalesce(_line RLIKE '[0-9][eE][+]?[0-9]{2}|[0-9]{39}|"(?:[+-]INF|[+]Infinity)"', FALSE), get(transform(array(CASE WHEN NOT (is_valid_utf8(_line) AND json_array_length(concat('[', _line, ',0]')) <=> 2 AND (instr(_line, ']') = 0 OR json_array_length(concat('[0,', _line, ']')) <=> 2)) THEN 'the line is no JSON'
    ELSE get(transform(array(try_parse_json(_line)), v -> CASE
      WHEN v IS NULL THEN 'the line is no JSON'
      WHEN is_variant_null(v) THEN 'expected an object'
      WHEN NOT try_variant_get(v, '$', 'map<string,variant>') IS NOT NULL THEN 'expected a STRUCT'
      ELSE nullif(concat_ws('; ', get(transform(array(variant_get(v, '$[\'value\']', 'variant')), e0 ->
        if(e0 IS NULL OR is_variant_null(e0), NULL, if(try_variant_get(e0, '$', 'map<string,variant>') IS NOT NULL, nullif(concat_ws('; ', get(transform(array(variant_get(e0, '$[\'paid\']', 'variant')), e1 ->
        if(e1 IS NULL OR is_variant_null(e1), NULL, if(coalesce(((schema_of_variant(e1) = 'BIGINT' OR schema_of_variant(e1) = 'DOUBLE' OR startswith(schema_of_variant(e1), 'DECIMAL')) AND abs(try_variant_get(e1, '$', 'double')) < double('Infinity')) OR (schema_of_variant(e1) = 'STRING' AND try_variant_get(e1, '$', 'string') IN ('NaN', 'Infinity', '-Infinity')), FALSE), NULL, concat(concat('value', '.paid'), ': expected DOUBLE')))), 0)), ''), concat('value', ': expected a STRUCT')))), 0)), '') END), 0) END), w -> if(w IS NULL, r, raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', w)))), 0), r)), raise_error(concat('the record ', CAST(r.ordinal AS STRING), ' of \'payments\' cannot be read: ', 'timestamp: expected a time from 1970 to 9999'))))), 0))) AS _r0
  FROM lines_8 WHERE _topic = 'payments'
),
-- one column for each facet
records_10 AS (
  SELECT _r0.ordinal AS _ord, _r0.timestamp AS _ts, _r0.key AS k0, _r0.value AS v0
  FROM parsed_9
)
-- the time of each record
SELECT timestamp_millis(_ts + 1) AS _at, _ord, _ts, k0, v0
FROM records_10;
-- timed_12: dated_11 with a watermark 86460000 ms behind _at
CREATE TEMPORARY VIEW right_14 AS
WITH
-- the watermark is behind the newest time
timely_13 AS (
  SELECT * FROM timed_12
)
-- the records of the right side, by what joins them
SELECT _at, _ord, _ts, k0, v0,
  named_struct('join_value', k0, 'null_of', if(k0 IS NULL, 'right', '')) AS join_value
FROM timely_13 WHERE v0 IS NOT NULL;
CREATE TEMPORARY VIEW written_17 AS
WITH
-- the pairs within the window
join_15 AS (
  SELECT CASE WHEN r._ord IS NULL THEN array(l._ord) WHEN l._ord IS NULL THEN array(r._ord)
      WHEN array(l._ord) > array(r._ord) THEN array(l._ord) || array(r._ord)
      ELSE array(r._ord) || array(l._ord) END AS _ord,
    greatest(l._ts, r._ts) AS _ts, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_7 l LEFT JOIN right_14 r
    ON l.join_value = r.join_value
    AND r._at BETWEEN l._at - INTERVAL 60000 MILLISECONDS AND l._at + INTERVAL 60000 MILLISECONDS
),
-- the projections
project_16 AS (
  SELECT _ord, _ts,
    k0 AS k0,
    named_struct('item', v0.`item`, 'paid', v1.`paid`) AS v0
  FROM join_15
)
-- the lines of stream_stream
SELECT _ord, to_json(named_struct('ordinal', CAST(_ord AS ARRAY<BIGINT>), 'timestamp', _ts, 'key', k0, 'value', v0), map('ignoreNullFields', 'false')) AS line
FROM project_16;
-- written to stream_stream in append mode
SELECT line FROM written_17;
