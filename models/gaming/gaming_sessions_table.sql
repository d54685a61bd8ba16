-- Points by country over the last session of each player.
--
-- Read as a TABLE, a player is where he last played: when billy moves to spain, his points leave the uk with him.

INSERT INTO last-points-by-country
SELECT TABLE
    SUM(points) AS total_points
  , AVG(points) AS average_points
FROM gaming-sessions
GROUP BY country;
