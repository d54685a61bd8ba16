-- A join on both keys: the row of a customer has the key that it has in both tables.
SELECT c.name, c.country, t.spent, (SELECT MAX(spent) FROM {{ ref('customer_totals') }}) AS most
FROM {{ ref('customer_totals') }} AS t JOIN customers AS c ON t._key = c._key
WHERE t.spent > (SELECT AVG(spent) FROM {{ ref('customer_totals') }})
