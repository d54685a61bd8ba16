-- How many bids each user made in ten seconds, by the time at which a broker took them.
SELECT bidder, COUNT(*) AS bid_count, window.start AS starttime, window.end AS endtime
FROM STREAM(bid)
GROUP BY bidder, window(_timestamp, '10 seconds')
