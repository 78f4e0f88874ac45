"""From a receipt's raw bytes to the numbers of one cell: free, offline, repeatable to the byte."""
