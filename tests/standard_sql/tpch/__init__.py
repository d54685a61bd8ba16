"""The queries of TPC-H as views that are kept up to date, over inserts, updates and deletes."""
