-- Read as a TABLE, the newest record of a bike replaces the one before: the bike leaves one group and enters another.
SELECT TABLE
    station
  , COUNT(*) AS bikes
FROM {{ ref('arrivals') }}
GROUP BY station;
