"""Whether Parquet files have every row and value of the CSV files that they were made of, as pyarrow and fastparquet
read them, and whether a log has the counts and percentiles of its rows, as hdrhistogram reads it.

    python equal.py CSV PARQUET LOG [CSV PARQUET LOG ...]
"""

import csv
import decimal
import datetime
import sys

import fastparquet
import pyarrow.parquet
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

NAMES = {
    "messageType": "operation", "message": "operation", "request": "operation", "latencyMs": "response_time_ns",
    "responseMs": "response_time_ns", "serviceMs": "service_time_ns", "statusCode": "status", "sendMs": "send_ns",
    "waitMs": "wait_ns", "bodyMs": "body_ns", "roomId": "room", "total": "total_bytes", "duration": "duration_ns",
}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def value(column, text):
    """The value that a field of CSV stands for."""
    if column in ("sendMs", "waitMs", "bodyMs") and text == "":
        return None
    if column.endswith("Ms") or column == "duration":
        return int(decimal.Decimal(text) * 1_000_000)
    if column in ("bytes", "roomId", "total", "iteration", "stream"):
        return int(text)
    if column == "timestamp":
        at = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
        return (at - EPOCH) // datetime.timedelta(microseconds=1)
    return text


def check(path, parquet, log):
    """Fail unless the Parquet file and the log have what the CSV file has."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    want = {NAMES.get(c, c): [value(c, row[c]) for row in rows] for c in rows[0]}

    table = pyarrow.parquet.read_table(parquet)
    assert table.column_names == list(want), table.column_names
    for name in want:
        column = table.column(name)
        if name == "timestamp":
            assert str(column.type) == "timestamp[us, tz=UTC]", column.type
            column = column.cast("int64")
        got = column.to_pylist()
        assert got == want[name], (name, [pair for pair in zip(got, want[name]) if pair[0] != pair[1]][:3])

    frame = fastparquet.ParquetFile(parquet).to_pandas()
    assert list(frame.columns) == list(want)
    for name in want:
        got = frame[name].astype(object).where(frame[name].notna(), None).tolist()
        if name == "timestamp":
            got = frame[name].astype("int64").tolist()
        assert got == want[name], name

    # The log: the histogram of each operation has the times of its rows, and no others.
    times, phases = {}, want.get("phase", ["window"] * len(rows))
    for i in range(len(rows)):
        status = want["status"][i] if "status" in want else "ok"
        if (status in ("ok", "unfinished", "timeout") or status.endswith("-timeout")) and phases[i] == "window":
            time = want["response_time_ns"][i] if "response_time_ns" in want else want["duration_ns"][i]
            times.setdefault(want["operation"][i], []).append(time)
    merged, seen = {}, HdrHistogram(1, 3600 * 10**9 * 24, 3)
    reader = HistogramLogReader(log, seen)
    while (interval := reader.get_next_interval_histogram()) is not None:
        merged.setdefault(interval.get_tag(), HdrHistogram(1, 3600 * 10**9 * 24, 3)).add(interval)
    assert set(merged) == {name.replace(" ", "_").replace(",", "_") for name in times}, (set(merged), set(times))
    for name, all_times in times.items():
        own = HdrHistogram(1, 3600 * 10**9 * 24, 3)
        for time in all_times:
            own.record_value(time)
        got = merged[name.replace(" ", "_").replace(",", "_")]
        assert got.get_total_count() == len(all_times), (name, got.get_total_count(), len(all_times))
        for p in (0.1, 10, 50, 90, 99, 99.9, 100):
            assert got.get_value_at_percentile(p) == own.get_value_at_percentile(p), (name, p)
    print("equal", len(rows))


for i in range(1, len(sys.argv), 3):
    check(*sys.argv[i:i + 3])
