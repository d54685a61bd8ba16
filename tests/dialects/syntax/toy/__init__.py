"""The toy language: `orders | keep id, shout(item) as loud, (amount + 1) * 2 as next`."""
