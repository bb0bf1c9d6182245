# SPDX-License-Identifier: BSD-3-Clause
"""Medians of interleaved runs, and how sure they are."""
from math import comb
from statistics import median


def spread(values):
    """Median of VALUES with the interval that holds the true median with 95% confidence, whatever
    the distribution is (order statistics); below 6 values that is from the least to the largest,
    and less sure. None of no values.

    >>> spread([3, 1, 2])
    {'median': 2, 'low': 1, 'high': 3, 'n': 3}
    >>> spread(range(15))  # Binomial(15, 1/2) is below 4 with probability 0.018
    {'median': 7, 'low': 3, 'high': 11, 'n': 15}
    """
    v = sorted(values)
    n = len(v)
    if n == 0:
        return None
    rank, tail = 0, 0.0
    while rank < n and tail + comb(n, rank) / 2**n <= 0.025:
        tail += comb(n, rank) / 2**n
        rank += 1
    rank = max(rank, 1)
    return {"median": median(v), "low": v[rank - 1], "high": v[n - rank], "n": n}


def paired(values, reference, function):
    """Spread of FUNCTION(value, reference) over the rounds in which both ran.

    >>> added([11, None, 14], [10, 10, 12])["median"]
    1.5
    """
    both = [function(v, r) for v, r in zip(values, reference) if v is not None and r is not None]
    return spread(both)


def added(values, reference):
    return paired(values, reference, lambda v, r: v - r)


def ratio(values, reference):
    return paired(values, reference, lambda v, r: v / r)


def verdict(result, limit):
    """met or missed only where the whole interval says so, and there is one.

    >>> [verdict(spread([4, 5, 6]), limit) for limit in (6, 5, 3)]
    ['met', 'open', 'missed']
    """
    if result is None:
        return "not measured"
    if result["n"] < 3:
        return "open"
    if result["high"] <= limit:
        return "met"
    if result["low"] > limit:
        return "missed"
    return "open"
