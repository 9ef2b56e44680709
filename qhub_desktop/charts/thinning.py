"""Fewer points that look the same: what a screen can show of a long series."""

from collections.abc import Sequence
from itertools import pairwise

LONGEST_LINE = 5_000
LINE_CLASSES = 1_000
MOST_POINTS = 20_000


def line_positions(values: Sequence[float]) -> Sequence[int]:
    """Which points of a line to draw: all, or the lowest and highest of each short stretch.

    The first and the last point stay, and so does a gap in each stretch that has one.
    """
    if len(values) <= LONGEST_LINE:
        return range(len(values))
    import numpy as np  # 80 ms: not before a long series is drawn

    heights = np.asarray(values, dtype=float)
    kept = {0, len(heights) - 1}
    edges = np.linspace(0, len(heights), LINE_CLASSES + 1).astype(int)
    for start, end in pairwise(edges.tolist()):
        stretch = heights[start:end]
        gaps = np.isnan(stretch)
        if gaps.any():
            kept.add(start + int(gaps.argmax()))
        if not gaps.all():
            kept.add(start + int(np.nanargmin(stretch)))
            kept.add(start + int(np.nanargmax(stretch)))
    return sorted(kept)


def point_positions(x: Sequence[float], y: Sequence[float]) -> Sequence[int]:
    """Which points of a cloud to draw: all, or an even choice and the four outermost."""
    if len(x) <= MOST_POINTS:
        return range(len(x))
    import numpy as np  # 80 ms: not before a large cloud is drawn

    # A fixed seed: the same data are drawn the same way each time.
    chosen = np.random.default_rng(0).choice(len(x), size=MOST_POINTS - 4, replace=False)
    outermost = (np.argmin(x), np.argmax(x), np.argmin(y), np.argmax(y))
    return sorted({*map(int, chosen), *map(int, outermost)})
