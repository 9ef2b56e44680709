"""Zeros and least values of functions of one number, by Brent's methods.

SciPy has both, in a package that loads 50 MB of libraries, linear algebra among them, which nothing
else here needs: of SciPy the program uses `scipy.special` alone, and ships no more of it.

Source: Brent, Algorithms for Minimization without Derivatives, 1973, chapters 4 and 5.
"""

import math
from collections.abc import Callable

import numpy as np

Function = Callable[[float], float]
MOST_STEPS = 500
_EPSILON = float(np.finfo(np.float64).eps)
_GOLDEN = (3 - math.sqrt(5)) / 2


def zero_between(
    function: Function, low: float, high: float, *, within: float = 2e-12, share: float = 8e-16
) -> float:
    """Return where a function that changes its sign between two places is zero.

    `within` is how near in absolute terms, `share` how near in relation to the place. Raises
    ValueError where the signs at both ends are the same or a value is no number.
    """
    last, best = low, high
    last_value, best_value = function(last), function(best)
    if last_value == 0:
        return last
    if not last_value * best_value <= 0:
        raise ValueError("the function does not change its sign between the ends")
    other, other_value = last, last_value
    step = before = best - last
    for _step in range(MOST_STEPS):
        if 0 not in (last_value, best_value) and (last_value > 0) != (best_value > 0):
            other, other_value = last, last_value  # the zero lies between it and the best place
            step = before = best - last
        if abs(other_value) < abs(best_value):
            last, best, other = best, other, best
            last_value, best_value, other_value = best_value, other_value, best_value
        near = (within + share * abs(best)) / 2
        half = (other - best) / 2
        if best_value == 0 or abs(half) < near:
            break
        tried = half
        if abs(before) > near and abs(best_value) < abs(last_value):
            slope = (last_value - best_value) / (last - best)
            if last == other:  # along the line through two values, or back from three
                guess = -best_value / slope
            else:
                far = (other_value - best_value) / (other - best)
                spread = other_value - last_value
                guess = -best_value * (other_value * far - last_value * slope)
                guess /= far * slope * spread
            if 2 * abs(guess) < min(abs(before), 3 * abs(half) - near):
                tried = guess
        before, step = (step, tried) if tried is not half else (half, half)
        last, last_value = best, best_value
        best += step if abs(step) > near else math.copysign(near, half)
        best_value = function(best)
    return best


def least_between(
    function: Function, low: float, high: float, *, within: float
) -> tuple[float, float]:
    """Return where a function with one valley between two places is least, and its value there."""
    best = second = third = low + _GOLDEN * (high - low)
    best_value = second_value = third_value = function(best)
    step = before = 0.0
    for _step in range(MOST_STEPS):
        middle = (low + high) / 2
        near = math.sqrt(_EPSILON) * abs(best) + within / 3
        if abs(best - middle) <= 2 * near - (high - low) / 2:
            break
        guess = None
        if abs(before) > near:  # the lowest point of the parabola through the three best
            one = (best - second) * (best_value - third_value)
            two = (best - third) * (best_value - second_value)
            above = (best - third) * two - (best - second) * one
            below = 2 * (two - one)
            above, below = (-above if below > 0 else above), abs(below)
            earlier, before = before, step
            is_inside = below * (low - best) < above < below * (high - best)
            if is_inside and abs(above) < abs(below * earlier / 2):
                guess = above / below
                if best + guess - low < 2 * near or high - best - guess < 2 * near:
                    guess = near if middle >= best else -near
        if guess is None:
            before = (low if best >= middle else high) - best
            guess = _GOLDEN * before
        step = guess
        place = best + math.copysign(max(abs(step), near), step)
        value = function(place)
        if value <= best_value:
            low, high = (best, high) if place >= best else (low, best)
            third, third_value, second, second_value = second, second_value, best, best_value
            best, best_value = place, value
            continue
        low, high = (place, high) if place < best else (low, place)
        if value <= second_value or second == best:
            third, third_value, second, second_value = second, second_value, place, value
        elif value <= third_value or third in (best, second):
            third, third_value = place, value
    return best, best_value
