-- The readings above 90 out of arrays of arrays, level by level.

INSERT INTO high-nested-readings
SELECT STREAM
    meter_id
  , reading
FROM
    batched_nested_readings
    LATERAL nested_readings AS readings
    LATERAL readings AS reading
WHERE
    reading > 90;
