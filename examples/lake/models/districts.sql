-- Rows: a meter that moves counts in its new district, and no longer in its former one.
SELECT district, COUNT(*) AS meters, MAX(warns_above) AS highest FROM meters GROUP BY district
