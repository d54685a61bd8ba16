-- Points by country over all sessions.
--
-- Read as a STREAM, every session stands for itself: billy's three sessions count three times.

INSERT INTO points-by-country
SELECT STREAM
    SUM(points) AS total_points
  , AVG(points) AS average_points
FROM gaming-sessions
GROUP BY country;
