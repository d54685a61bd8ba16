{{ config(dialect='sql') }}
CREATE FLOW applied AS AUTO CDC INTO changes_versioned
FROM STREAM(orders)
KEYS (item)
APPLY AS DELETE WHEN note = 'y'
SEQUENCE BY price
STORED AS SCD TYPE 2
