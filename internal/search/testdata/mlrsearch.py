"""Searches with FD.io's MLRsearch: prints the load of each trial and reads how many operations it had and how many of
them were late or failed; says at last between which loads the answer lies.

Arguments: the share that may be late, the width, and how many trials a bound takes. Input: for each search, a line with
its lowest and its highest load.
All trials count as one second: how long one is follows from its load, and who measures knows it.
"""

import sys

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal


class Asks(AbstractMeasurer):
    def measure(self, intended_duration, intended_load):
        print("try", repr(intended_load), flush=True)
        offered, lost = sys.stdin.readline().split()
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=int(offered),
            loss_count=int(lost),
        )


def main():
    late, width, trials = map(float, sys.argv[1:])
    goal = SearchGoal(
        loss_ratio=late,
        exceed_ratio=0.5,  # a load that half of the trials meet
        relative_width=width,
        initial_trial_duration=1.0,
        final_trial_duration=1.0,
        duration_sum=trials,
        preceding_targets=2,
        expansion_coefficient=2,
        fail_fast=False,
    )
    for line in sys.stdin:  # one for each search
        lowest, highest = map(float, line.split())
        config = Config(
            goals=[goal], min_load=lowest, max_load=highest, search_duration_max=3600.0, warmup_duration=None
        )
        search = MultipleLossRatioSearch(config=config)
        result = search.search(measurer=Asks(), debug=lambda _: None)[goal]
        low, high = result.relevant_lower_bound, result.relevant_upper_bound
        print("found", float(low) if low else 0.0, float(high) if high else highest, flush=True)


main()
