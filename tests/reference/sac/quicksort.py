"""Sorting by Python's own function."""

from arrays import show

show(sorted([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]))
print("Dimension:  1\nShape    : <  0>\n<>\n")
a = [(i * 7919 + 13) % 10007 for i in range(5000)]
show(sorted(a)[:5])
print(int(a == sorted(a)), 1, 1)
