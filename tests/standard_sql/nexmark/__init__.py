"""The queries of Nexmark, over a stream of persons, auctions and bids."""
