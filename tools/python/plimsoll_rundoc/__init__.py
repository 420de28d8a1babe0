"""Reads the runs that Plimsoll saves, for analyses in Python.

    import plimsoll_rundoc as plimsoll

    run = plimsoll.load("last")
    print(run.id, run.operations[0].response_time.p99_ns)
    frame = plimsoll.runs_frame([run, plimsoll.load("last~1")])

load needs Python 3.9 and nothing else; the frames need pandas, samples of Parquet pyarrow, and histograms the package
hdrhistogram. Times are integers of nanoseconds in names that end in _ns, as in the documents. docs/data.md has more.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import sys
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union

from .fields import DETAILS, FIELDS, RunDocument, SetDocument

__all__ = [
    "Error", "Object", "Run", "RunDocument", "Set", "SetDocument", "find", "histogram", "ids", "load", "merge",
    "runs_directory", "runs_frame", "samples_frame", "series_frame",
]

RUN_SCHEMA, SET_SCHEMA = "plimsoll.run/v1", "plimsoll.set/v1"


class Error(Exception):
    """A name that no run has, or a file that is no document."""


class Object(Mapping):
    """An object of a document: its fields are attributes, and keys.

    An attribute is None where the document does not have the field, and an AttributeError where no document has one
    of this name; a key that the document does not have is a KeyError.
    """

    __slots__ = ("_raw", "_name")

    def __init__(self, raw: Dict[str, Any], name: Optional[str]) -> None:
        self._raw, self._name = raw, name

    def __getattr__(self, field: str) -> Any:
        known = FIELDS.get(self._name or "", {})
        if field not in self._raw and field not in known:
            raise AttributeError(f"{self._name or 'the object'} has no field {field!r}")
        return self._of(field, self._raw.get(field))

    def __getitem__(self, field: str) -> Any:
        return self._of(field, self._raw[field])

    def _of(self, field: str, value: Any) -> Any:
        return _wrapped(value, FIELDS.get(self._name or "", {}).get(field))

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._raw, *FIELDS.get(self._name or "", {})})

    def __repr__(self) -> str:
        return f"<{self._name or 'object'}: {', '.join(self._raw)}>"


def _wrapped(value: Any, name: Optional[str]) -> Any:
    if isinstance(value, dict):
        if name is not None and name.startswith("*"):  # by names that the run chose
            return {k: _wrapped(v, name[1:]) for k, v in value.items()}
        return Object(value, name)
    if isinstance(value, list):
        return [_wrapped(v, name) for v in value]
    return value


class Run(Object):
    """A run document. raw is its JSON, path the file that it was read from."""

    __slots__ = ("raw", "path")

    def __init__(self, raw: RunDocument, path: pathlib.Path) -> None:
        super().__init__(raw, "RunDocument")  # type: ignore[arg-type]
        self.raw, self.path = raw, path

    def _of(self, field: str, value: Any) -> Any:
        if field == "detail":
            return _wrapped(value, DETAILS.get(self._raw.get("workload", "")))
        return super()._of(field, value)

    @property
    def started(self) -> datetime.datetime:
        """When the first phase began, in UTC, to the microsecond."""
        return _time(self._raw["started"])

    @property
    def ended(self) -> datetime.datetime:
        """When the last phase ended, in UTC, to the microsecond."""
        return _time(self._raw["ended"])


class Set(Object):
    """A set document: of a sweep, a comparison, a search or a plan file."""

    __slots__ = ("raw", "path")

    def __init__(self, raw: SetDocument, path: pathlib.Path) -> None:
        super().__init__(raw, "SetDocument")  # type: ignore[arg-type]
        self.raw, self.path = raw, path

    def runs(self) -> List[Run]:
        """The runs of the set, of which the documents were kept."""
        return [_read(self.path.parent / m["path"]) for m in self._raw["members"] if m.get("path")]  # type: ignore[misc]


def _time(text: str) -> datetime.datetime:
    match = re.fullmatch(r"(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d{1,6})\d*)?Z", text)
    if match is None:
        raise Error(f"{text!r} is no time in UTC")
    at = datetime.datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return at + datetime.timedelta(microseconds=int((match[2] or "0").ljust(6, "0")))


def runs_directory() -> pathlib.Path:
    """Where runs are saved: below XDG_STATE_HOME, or ~/.local/state where that is not set or relative."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return pathlib.Path(state) / "plimsoll" / "runs"


def _document(directory: pathlib.Path) -> Optional[pathlib.Path]:
    return next((path for path in (directory / "run.json", directory / "set.json") if path.is_file()), None)


def ids() -> List[str]:
    """The ids of the saved runs and sets, newest first."""
    directory = runs_directory()
    if not directory.is_dir():
        return []
    return sorted((d.name for d in directory.iterdir() if not d.name.startswith(".") and _document(d)), reverse=True)


def find(name: Union[str, os.PathLike]) -> pathlib.Path:
    """The document of a run or a set, by what the command line calls one: a path, an id, the beginning of one, last,
    last~1; and behind a set and a slash the number of one of its runs: last/3."""
    path = pathlib.Path(name)
    if path.is_file():
        return path
    if path.is_dir() and (found := _document(path)):
        return found
    name = str(name)
    of, slash, member = name.rpartition("/")
    if slash and of and member.isdigit():
        at = find(of)
        raw = json.loads(at.read_text(encoding="utf-8"))
        members = raw.get("members", [])
        if not 1 <= int(member) <= len(members) or not members[int(member) - 1].get("path"):
            raise Error(f"{of} has no run {member} that was kept")
        return at.parent / members[int(member) - 1]["path"]
    saved = ids()
    match = re.fullmatch(r"last(?:~(\d+))?", name)
    if match and int(match[1] or 0) < len(saved):
        fits = [saved[int(match[1] or 0)]]
    else:
        fits = [i for i in saved if name and i.startswith(name)]
        fits = [name] if name in fits else fits
    if len(fits) != 1:
        raise Error(f"{name!r} is the beginning of {len(fits)} saved runs in {runs_directory()}, and no file")
    return _document(runs_directory() / fits[0])  # type: ignore[return-value]


def load(name: Union[str, os.PathLike] = "last") -> Union[Run, Set]:
    """The run or the set of this name; see find."""
    return _read(find(name))


def _read(path: pathlib.Path) -> Union[Run, Set]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Error(f"{path}: {error}") from error
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if schema == RUN_SCHEMA:
        return Run(raw, path)
    if schema == SET_SCHEMA:
        return Set(raw, path)
    raise Error(f"{path}: its schema is {schema!r}, and neither {RUN_SCHEMA} nor {SET_SCHEMA}")


_TIMES = ("response_time", "service_time", "send_delay")
_FIGURES = ("count", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
_COUNTS = ("scheduled", "ok", "failed", "unsent", "unfinished", "attempts", "retries", "bytes")


def runs_frame(runs: Iterable[Run]):
    """A DataFrame with a row for each run and operation: what the run is, counts, rates, and its times in ns. What a
    document does not have is NA."""
    import pandas

    rows = []
    for run in runs:
        for o in run.raw["operations"]:
            row = {
                "run": run.id, "workload": run.workload, "started": run.started, "target": run.target.url,
                "labels": ",".join(run.labels or []), "verdict": run.verdict.validity, "operation": o["name"],
                "operation_labels": ",".join(f"{k}={v}" for k, v in sorted((o.get("labels") or {}).items())),
                **{name: o.get(name, 0) for name in _COUNTS},
                "rate_per_s": o.get("rate_per_s"), "bytes_per_s": o.get("bytes_per_s"),
            }
            for time in _TIMES:
                summary = o.get(time, {})
                nothing = {"min_ns": 0, "mean_ns": 0, "max_ns": 0} if summary.get("count", 0) > 0 else {}
                for figure in _FIGURES:
                    row[f"{time}_{figure}"] = summary.get(figure, nothing.get(figure))
            rows.append(row)
    frame = pandas.DataFrame(rows)
    whole = [c for c in frame.columns if c.endswith(("_ns", "_count")) or c in _COUNTS]
    return frame.astype({c: "Int64" for c in whole})


def series_frame(run: Run):
    """A DataFrame with a row for each point of the run's series, by the second of the window in which it begins."""
    import pandas

    rows = [{"seconds": 1, **{k: v for k, v in p.items() if k != "causes"}} for p in run.raw["series"]]
    columns = ["second", "seconds", "ok", "failed", "bytes", "offered", "p50_ns", "p99_ns", "own_p99_ns", "gap_ns", "in_flight"]
    frame = pandas.DataFrame(rows).reindex(columns=columns)
    frame = frame.astype({c: "Int64" for c in columns if c != "in_flight"}).astype({"in_flight": "Float64"})
    frame["at"] = [_window(run) + datetime.timedelta(seconds=int(s)) for s in frame["second"]]
    return frame.set_index("second")


def _window(run: Run) -> datetime.datetime:
    for phase in run.raw["phases"]:
        if phase["name"] == "window":
            return _time(phase["started"])
    return run.started


# The columns of CSV files of samples whose names, or values, are others in Parquet: as in 'plimsoll samples convert'.
_RENAMED = {
    "messageType": "operation", "message": "operation", "request": "operation", "latencyMs": "response_time_ns",
    "responseMs": "response_time_ns", "serviceMs": "service_time_ns", "statusCode": "status", "sendMs": "send_ns",
    "waitMs": "wait_ns", "bodyMs": "body_ns", "roomId": "room", "total": "total_bytes", "duration": "duration_ns",
}


def samples_frame(path: Union[str, os.PathLike]):
    """A DataFrame of a file of samples, CSV or Parquet, with the columns that 'plimsoll samples convert' writes. A last
    line of CSV without an end, as a run leaves one that is killed, is left out."""
    import pandas

    path = pathlib.Path(path)
    if path.suffix.lower() == ".parquet":
        return pandas.read_parquet(path).astype({c: "Int64" for c in _nullable(path)})
    import io

    text = path.read_bytes()
    text = text[:text.rfind(b"\n") + 1]
    frame = pandas.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False)
    for column in frame.columns:
        values = frame[column]
        if column.endswith("Ms") or column == "duration":
            frame[column] = pandas.array([_nanoseconds(v) for v in values], dtype="Int64")
        elif column in ("bytes", "roomId", "total", "iteration", "stream"):
            frame[column] = values.astype("int64")
        elif column == "timestamp":
            frame[column] = pandas.to_datetime(values, format="ISO8601", utc=True).astype("datetime64[us, UTC]")
    frame = frame.rename(columns=_RENAMED)
    return frame.astype({c: "int64" for c in frame.columns if c.endswith("_time_ns") or c == "duration_ns"})


def _nullable(path: pathlib.Path) -> List[str]:
    import pyarrow.parquet

    return [f.name for f in pyarrow.parquet.read_schema(path) if f.nullable and str(f.type) == "int64"]


def _nanoseconds(text: str) -> Optional[int]:
    if text == "":
        return None
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    whole, _, fraction = text.partition(".")
    return sign * int(whole + fraction.ljust(6, "0"))


def histogram(summary: Mapping):
    """The HdrHistogram of the times of a summary, such as run.operations[0].response_time, in ns; None: it has none."""
    from hdrh.histogram import HdrHistogram

    text = summary.get("hdr")
    return HdrHistogram.decode(text.encode()) if text else None


def merge(summaries: Iterable[Mapping]):
    """The HdrHistogram of the times of several summaries together, in ns: of operations, runs, or machines. Percentiles
    of it are exact, which the mean of percentiles never is."""
    from hdrh.histogram import HdrHistogram

    merged = HdrHistogram(1, 24 * 3600 * 10**9, 3)
    for summary in summaries:
        one = histogram(summary)
        if one is not None:
            merged.add(one)
    return merged


if sys.version_info < (3, 9):
    raise ImportError("plimsoll_rundoc needs Python 3.9 or later")
