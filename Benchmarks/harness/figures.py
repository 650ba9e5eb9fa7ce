"""Samples made into figures. A sample is a time for one operation; samples come in rounds."""
import math
import random


def percentile(ordered, share):
    """The value below which this share of the ordered samples lies, between neighbours in proportion."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(samples):
    return percentile(sorted(samples), 0.5)


def resampled_median(rounds, source):
    """The median of samples drawn anew: rounds first, then samples of each, since those of one round are alike."""
    drawn = []
    for one in source.choices(rounds, k=len(rounds)):
        drawn += source.choices(one, k=len(one))
    return median(drawn)


def interval(values, confidence):
    ordered = sorted(values)
    return percentile(ordered, (1 - confidence) / 2), percentile(ordered, (1 + confidence) / 2)


def median_interval(rounds, confidence=0.95, resamples=400):
    """Where the median may well lie: a bootstrap interval (Efron 1979), with the same draws every time."""
    source = random.Random(1)
    return interval([resampled_median(rounds, source) for _ in range(resamples)], confidence)


def ratio_interval(over, under, confidence=0.95, resamples=400):
    """Where the ratio of two medians may well lie."""
    source = random.Random(1)
    return interval(
        [resampled_median(over, source) / resampled_median(under, source) for _ in range(resamples)], confidence
    )


class Figure:
    """One program, one measure, one input."""

    def __init__(self, series):
        self.series = series
        self.rounds = [one["nanoseconds"] for one in series["rounds"]]
        ordered = sorted(sample for one in self.rounds for sample in one)
        self.count = len(ordered)
        self.minimum = ordered[0]
        self.median = percentile(ordered, 0.5)
        self.p90 = percentile(ordered, 0.9)
        self.p99 = percentile(ordered, 0.99)
        self.low, self.high = median_interval(self.rounds)
        self.operations_per_second = 1e9 / self.median
        self.bytes_per_second = series["bytes"] * self.operations_per_second
        self.allocations = series.get("allocations")
        shares = [one["steal"] for one in series["rounds"] if one["steal"] is not None]
        self.steal = max(shares) if shares else None
