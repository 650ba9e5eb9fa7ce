"""Computes figures from samples. A sample is the time of one operation. Samples are grouped in rounds."""
import math
import random


def percentile(ordered, share):
    """Returns the value below which this share of the ordered samples lies, interpolated linearly."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(samples):
    return percentile(sorted(samples), 0.5)


def resampled_median(rounds, source):
    """Returns the median of resampled samples. Draws rounds first, then samples within each drawn round, because the
    samples of one round resemble each other."""
    drawn = []
    for one in source.choices(rounds, k=len(rounds)):
        drawn += source.choices(one, k=len(one))
    return median(drawn)


def interval(values, confidence):
    ordered = sorted(values)
    return percentile(ordered, (1 - confidence) / 2), percentile(ordered, (1 + confidence) / 2)


def median_interval(rounds, confidence=0.95, resamples=400):
    """Returns a confidence interval of the median by bootstrap (Efron 1979). The seed is fixed, so the result is
    repeatable."""
    source = random.Random(1)
    return interval([resampled_median(rounds, source) for _ in range(resamples)], confidence)


def ratio_interval(over, under, confidence=0.95, resamples=400):
    """Returns a confidence interval of the ratio of two medians, by the same bootstrap."""
    source = random.Random(1)
    return interval(
        [resampled_median(over, source) / resampled_median(under, source) for _ in range(resamples)], confidence
    )


class Figure:
    """The figures of one program, one measure and one input."""

    def __init__(self, series):
        self.series = series
        self.rounds = [one["nanoseconds"] for one in series["rounds"]]
        ordered = sorted(sample for one in self.rounds for sample in one)
        self.count = len(ordered)
        self.minimum = ordered[0]
        self.p5 = percentile(ordered, 0.05)
        self.median = percentile(ordered, 0.5)
        self.p90 = percentile(ordered, 0.9)
        self.p99 = percentile(ordered, 0.99)
        self.low, self.high = median_interval(self.rounds)
        self.operations_per_second = 1e9 / self.median
        self.bytes_per_second = series["bytes"] * self.operations_per_second
        self.allocations = series.get("allocations")
        shares = [one["steal"] for one in series["rounds"] if one["steal"] is not None]
        self.steal = max(shares) if shares else None
