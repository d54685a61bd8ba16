-- Points by country over all sessions.

INSERT INTO stream-points-by-country
SELECT STREAM
    SUM(points) AS total_points
  , AVG(points) AS average_points
FROM gaming-sessions
GROUP BY country;
