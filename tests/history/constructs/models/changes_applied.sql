{{ config(dialect='sql') }}
CREATE FLOW applied AS AUTO CDC INTO changes_applied
FROM STREAM(orders)
KEYS (item)
APPLY AS DELETE WHEN note = 'y'
SEQUENCE BY price
IGNORE NULL UPDATES ON (note)
