-- Late departures from an airport that could see less than a mile, or that stood in a strong wind, at that hour.
--
-- The weather arrives as a folder of CSV, a file a month. Read as a TABLE it has a row for each airport and hour, of the
-- newest file that has one; the rows are there before the flights, which come in as a STREAM of another model.

WITH measured AS (
    SELECT TABLE
        visib
      , wind_speed
      , temp
    FROM weather
);

INSERT INTO late-in-bad-weather
SELECT STREAM
    late.flight
  , late.route
  , late.delay.departure AS minutes
  , measured.visib       AS weather.visibility
  , measured.wind_speed  AS weather.wind
  , measured.temp        AS weather.temperature
FROM {{ ref('late_departures') }} AS late
    INNER JOIN measured
        ON late.route.origin = measured._key.origin AND late.scheduled = measured._key.time_hour
WHERE measured.visib < 1 OR measured.wind_speed >= {{ var('strong_wind') }};
