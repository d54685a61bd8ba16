-- The readings above 90, one to a record.

INSERT INTO high-readings
SELECT STREAM
    meter_id
  , reading
FROM
    batched_readings
    LATERAL readings AS reading
WHERE
    reading > 90;
