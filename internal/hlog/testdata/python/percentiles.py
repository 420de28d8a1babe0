"""The counts and percentiles, in ns, of each tag of logs, as JSON: {LOG: {TAG: {"count": …, "50": …}}}.

    python percentiles.py LOG…
"""

import json
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

found = {}
for log in sys.argv[1:]:
    merged = {}
    reader = HistogramLogReader(log, HdrHistogram(1, 86_400 * 10**9, 3))
    while (interval := reader.get_next_interval_histogram()) is not None:
        merged.setdefault(interval.get_tag() or "", HdrHistogram(1, 86_400 * 10**9, 3)).add(interval)
    found[log] = {
        tag: {"count": h.get_total_count(), **{p: h.get_value_at_percentile(float(p)) for p in ("50", "90", "95", "99", "99.9")}}
        for tag, h in merged.items()
    }
json.dump(found, sys.stdout)
