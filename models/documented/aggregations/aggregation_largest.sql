-- The most points of a country, which a STREAM alone can keep.

INSERT INTO largest-points-by-country
SELECT STREAM
    SUM(points) AS total_points
  , AVG(points) AS average_points
  , MAXK(points, 1) AS max_points
FROM gaming-sessions
GROUP BY country;
