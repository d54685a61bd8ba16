-- The sessions of users: how many bids each made before a pause of ten seconds.
SELECT bidder, COUNT(*) AS bid_count, session_window.start AS starttime, session_window.end AS endtime
FROM STREAM(bid)
GROUP BY bidder, session_window(dateTime, '10 seconds')
