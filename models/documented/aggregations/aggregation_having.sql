-- Countries with more than three sessions.

INSERT INTO countries-of-many-sessions
SELECT STREAM
    COUNT(*) AS sessions
FROM gaming-sessions
GROUP BY country
HAVING sessions > 3;
