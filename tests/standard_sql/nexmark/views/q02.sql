-- Selection.
SELECT auction, price FROM STREAM(bid) WHERE MOD(auction, 123) = 0
