"""B of coarser versions of a file from one fit: the sums by brute force, the truth where it is known."""
