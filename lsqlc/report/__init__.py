"""Results as text and as JSON. Knows nothing of how they came about; prints nothing and asks no clock: times and widths
are handed in.
"""
