-- Hot items: the auctions with the most bids of each ten seconds, every two.
WITH counted AS (
  SELECT auction, COUNT(*) AS num, window.start AS starttime
  FROM STREAM(bid)
  GROUP BY auction, window(dateTime, '10 seconds', '2 seconds')
),
largest AS (SELECT starttime, MAX(num) AS maxn FROM counted GROUP BY starttime)
SELECT counted.auction, counted.num, counted.starttime
FROM counted JOIN largest ON counted.starttime = largest.starttime AND counted.num >= largest.maxn
