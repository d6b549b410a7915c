"""A multiplication table as text, by Python's own formatting."""

from l0_text import arguments, show

title, n = arguments("strings")
width = len(str(n * n)) + 1
heading = " " * max(0, (n * width - len(title)) // 2) + title.upper()
table = ["".join(f"{i * j:{width}}" for j in range(1, n + 1)) for i in range(1, n + 1)]
show(("\n".join([heading, "-" * (n * width), *table, ""]), title == title[::-1]))
