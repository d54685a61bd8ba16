-- STREAM(...) reads records, each for itself. The key, which is the bike, stays.
SELECT
  bike,
  station,
  minutes
FROM STREAM(rides)
WHERE
  NOT cancelled
