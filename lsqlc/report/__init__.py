"""Results as text, JSON and other formats. Pure: nothing is printed, and times and widths are arguments."""
