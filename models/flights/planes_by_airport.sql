-- How many planes last flew to each airport.
--
-- `flights` is read as a TABLE: of each tail number only the newest flight is left. A plane that flies on leaves the
-- group it stood in and joins another one; an airport that its last plane has left disappears from the result.

INSERT INTO planes-by-airport
SELECT TABLE
    COUNT(*) AS planes
FROM flights
GROUP BY dest;
