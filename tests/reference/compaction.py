"""Which values are above a threshold, and where they are."""

from l0_text import arguments, show

xs, threshold = arguments("compaction")
kept = [x for x in xs if x > threshold]
show((kept, [i for i, x in enumerate(xs) if x > threshold], kept, sorted(xs, key=lambda x: x <= threshold)))
