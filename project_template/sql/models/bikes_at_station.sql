-- Read by its name, a topic with a key is the table of its newest records: a new one takes the bike from one station to
-- another.
SELECT
  station,
  COUNT(*) AS bikes
FROM {{ ref('arrivals') }}
WHERE
  station IS NOT NULL
GROUP BY
  station
