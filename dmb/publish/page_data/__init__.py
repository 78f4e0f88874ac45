"""What the page's scripts show on demand, as one compact document: cells with all their numbers, and rows one by one."""
