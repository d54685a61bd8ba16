"""Topics in folders of JSON lines, as streaming queries read and write them."""
