-- Flights, departures and the mean departure delay of each carrier.
--
-- `flights` is read as a STREAM, so that every flight counts, whichever plane flew it.

INSERT INTO delays-by-carrier
SELECT STREAM
    COUNT(*)         AS flights
  , COUNT(dep_delay) AS departures  -- a cancelled flight has no delay, and is not counted here
  , AVG(dep_delay)   AS mean_delay  -- nor here: null is left out of the mean, it is not 0
FROM flights
GROUP BY carrier;
