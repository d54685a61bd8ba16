SET error.policy = 'dlq';
SET dead.letter.queue = 'letters';
SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item
