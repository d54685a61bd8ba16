-- The readings above 90 of day and night together: any expression that gives an array will do.

INSERT INTO high-day-and-night-readings
SELECT STREAM
    meter_id
  , reading
FROM
    day_night_readings
    LATERAL flatten([readings_day, readings_night]) AS reading
WHERE
    reading > 90;
