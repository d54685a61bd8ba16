-- Over records every one counts, once and for ever.
SELECT
  station,
  COUNT(*) AS rides,
  AVG(minutes) AS minutes
FROM STREAM({{ ref('arrivals') }})
WHERE
  station IS NOT NULL
GROUP BY
  station
