"""What repeated measurements tell."""

from __future__ import annotations

import random
import unittest

from shapewise.replay.noise import bootstrap_interval, indistinguishable_from_best, differ


class Interval(unittest.TestCase):
    def test_it_holds_the_median_and_stays_within_the_samples(self) -> None:
        low, high = bootstrap_interval([[9.0, 10.0, 11.0], [10.0, 12.0, 10.5]], seed=1)
        self.assertLessEqual(9.0, low)
        self.assertLessEqual(low, 10.25)
        self.assertLessEqual(10.25, high)
        self.assertLessEqual(high, 12.0)

    def test_the_seed_makes_it_the_same_again(self) -> None:
        groups = [[1.0, 2.0, 3.0], [2.0, 4.0, 9.0]]
        self.assertEqual(bootstrap_interval(groups, 7), bootstrap_interval(groups, 7))

    def test_processes_that_differ_make_it_wide(self) -> None:
        # Ten samples each, but two processes only: their difference is not averaged away.
        low, high = bootstrap_interval([[10.0] * 10, [20.0] * 10], seed=1)
        self.assertEqual((low, high), (10.0, 20.0))

    def test_it_covers_the_truth_about_as_often_as_it_says(self) -> None:
        chance = random.Random(5)
        hits = 0
        for trial in range(40):
            groups = [[chance.gauss(100, 5) for _ in range(3)] for _ in range(8)]
            low, high = bootstrap_interval(groups, trial)
            hits += low <= 100 <= high
        self.assertGreaterEqual(hits, 34)


class Apart(unittest.TestCase):
    def test_one_pair_shows_nothing(self) -> None:
        self.assertFalse(differ([1.0], [100.0]))

    def test_a_steady_difference_is_found(self) -> None:
        self.assertTrue(differ([100.0, 101.0, 99.0], [80.0, 81.0, 79.5]))

    def test_a_difference_below_one_percent_is_none(self) -> None:
        self.assertFalse(differ([100.0, 100.0, 100.0], [100.5, 100.5, 100.5]))

    def test_what_slows_both_of_a_pair_does_not_matter(self) -> None:
        self.assertTrue(differ([100.0, 50.0, 70.0], [80.0, 40.0, 56.1]))

    def test_missing_repetitions_are_left_out_in_pairs(self) -> None:
        self.assertFalse(differ([100.0, None, 99.0], [None, 80.0, 79.0]))

    def test_equal_policies_seldom_differ(self) -> None:
        chance = random.Random(3)
        apart = 0
        for _ in range(2000):
            first, second = ([chance.gauss(100, 5) for _ in range(3)] for _ in range(2))
            apart += differ(first, second)
        self.assertLess(apart / 2000, 0.07)

    def test_unequal_policies_usually_differ(self) -> None:
        chance = random.Random(4)
        apart = 0
        for _ in range(500):
            first = [chance.gauss(100, 2) for _ in range(5)]
            second = [chance.gauss(90, 2) for _ in range(5)]
            apart += differ(first, second)
        self.assertGreater(apart / 500, 0.95)


class Best(unittest.TestCase):
    def test_all_that_tie_are_best_the_greatest_first(self) -> None:
        figures = {
            "slow": [50.0, 51.0, 50.5],
            "a": [99.0, 104.0, 100.0],
            "b": [101.0, 100.0, 102.0],
        }
        self.assertEqual(indistinguishable_from_best(figures), ["b", "a"])

    def test_what_was_not_measured_is_not_best(self) -> None:
        self.assertEqual(indistinguishable_from_best({"a": [], "b": [None]}), [])
        self.assertEqual(indistinguishable_from_best({"a": [], "b": [1.0]}), ["b"])


if __name__ == "__main__":
    unittest.main()
