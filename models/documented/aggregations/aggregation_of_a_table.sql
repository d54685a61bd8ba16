-- Points by country over the last session of each player.

INSERT INTO table-points-by-country
SELECT TABLE
    SUM(points) AS total_points
  , AVG(points) AS average_points
FROM gaming-sessions
GROUP BY country;
