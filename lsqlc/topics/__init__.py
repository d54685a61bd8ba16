"""The embedded transport: topics as append logs of JSON lines, and what any transport must meet. Knows no engine."""
