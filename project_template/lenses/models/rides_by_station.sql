-- Over a STREAM every record counts, once and for ever.
SELECT STREAM
    station
  , COUNT(*)     AS rides
  , AVG(minutes) AS minutes
FROM {{ ref('arrivals') }}
GROUP BY station;
