SELECT STREAM COUNT(*) AS n, SUM(level) AS levels FROM readings GROUP BY meter
