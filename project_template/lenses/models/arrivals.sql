-- A STREAM: each record for itself. The key, which is the bike, stays.
SELECT STREAM
    bike
  , station
  , minutes
FROM rides
WHERE NOT cancelled;
