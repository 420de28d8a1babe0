"""Reads saved Plimsoll runs for analysis in Python.

    import plimsoll_rundoc as plimsoll

    run = plimsoll.load("last")
    print(run.id, run.operations[0].response_time.p99_ns)
    frame = plimsoll.runs_frame([run, plimsoll.load("last~1")])

load requires only Python 3.9. The frames require pandas, Parquet samples pyarrow, and histograms the package
hdrhistogram. As in the documents, times are integers in nanoseconds in fields that end in _ns. See docs/data.md.
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
    """Raised if no run has the given name, or if a file is not a document."""


class Object(Mapping):
    """An object of a document. Its fields are available as attributes and as keys.

    An attribute is None if the document does not have the field. A name that is not a field of any document raises
    AttributeError. A key that the document does not have raises KeyError.
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
        if name is not None and name.startswith("*"):  # keys chosen by the run
            return {k: _wrapped(v, name[1:]) for k, v in value.items()}
        return Object(value, name)
    if isinstance(value, list):
        return [_wrapped(v, name) for v in value]
    return value


class Run(Object):
    """A run document. raw is its JSON, path the file it was read from."""

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
        """Start of the first phase, in UTC, in microseconds."""
        return _time(self._raw["started"])

    @property
    def ended(self) -> datetime.datetime:
        """End of the last phase, in UTC, in microseconds."""
        return _time(self._raw["ended"])


class Set(Object):
    """A set document of a sweep, a comparison, a capacity search or a plan file."""

    __slots__ = ("raw", "path")

    def __init__(self, raw: SetDocument, path: pathlib.Path) -> None:
        super().__init__(raw, "SetDocument")  # type: ignore[arg-type]
        self.raw, self.path = raw, path

    def runs(self) -> List[Run]:
        """Returns the runs of the set whose documents were saved."""
        return [_read(self.path.parent / m["path"]) for m in self._raw["members"] if m.get("path")]  # type: ignore[misc]


def _time(text: str) -> datetime.datetime:
    match = re.fullmatch(r"(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d{1,6})\d*)?Z", text)
    if match is None:
        raise Error(f"{text!r} is not a UTC time")
    at = datetime.datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return at + datetime.timedelta(microseconds=int((match[2] or "0").ljust(6, "0")))


def runs_directory() -> pathlib.Path:
    """Returns the directory of saved runs, below XDG_STATE_HOME, or ~/.local/state if that is unset or relative."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return pathlib.Path(state) / "plimsoll" / "runs"


def _document(directory: pathlib.Path) -> Optional[pathlib.Path]:
    return next((path for path in (directory / "run.json", directory / "set.json") if path.is_file()), None)


def ids() -> List[str]:
    """Returns the ids of the saved runs and sets, newest first."""
    directory = runs_directory()
    if not directory.is_dir():
        return []
    return sorted((d.name for d in directory.iterdir() if not d.name.startswith(".") and _document(d)), reverse=True)


def find(name: Union[str, os.PathLike]) -> pathlib.Path:
    """Returns the path of the document of a run or set. The name is a path, an id, a unique prefix of an id, last or
    last~1, as on the command line. A number after a slash selects a run of a set: last/3."""
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
            raise Error(f"{of} has no saved run {member}")
        return at.parent / members[int(member) - 1]["path"]
    saved = ids()
    match = re.fullmatch(r"last(?:~(\d+))?", name)
    if match and int(match[1] or 0) < len(saved):
        fits = [saved[int(match[1] or 0)]]
    else:
        fits = [i for i in saved if name and i.startswith(name)]
        fits = [name] if name in fits else fits
    if len(fits) != 1:
        raise Error(f"{name!r} is not a file, and matches {len(fits)} saved runs in {runs_directory()}")
    return _document(runs_directory() / fits[0])  # type: ignore[return-value]


def load(name: Union[str, os.PathLike] = "last") -> Union[Run, Set]:
    """Returns the run or set with this name; see find."""
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
    raise Error(f"{path}: its schema is {schema!r}, not {RUN_SCHEMA} or {SET_SCHEMA}")


_TIMES = ("response_time", "service_time", "send_delay")
_FIGURES = ("count", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
_COUNTS = ("scheduled", "ok", "failed", "unsent", "unfinished", "attempts", "retries", "bytes")


def runs_frame(runs: Iterable[Run]):
    """Returns a DataFrame with a row per run and operation: the run's properties, counts, rates, and times in ns.
    Missing values are NA."""
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
    """Returns a DataFrame with a row per point of the run's series, indexed by its first second in the window."""
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


# Columns of CSV sample files that have another name or unit in Parquet, as in 'plimsoll samples convert'.
_RENAMED = {
    "messageType": "operation", "message": "operation", "request": "operation", "latencyMs": "response_time_ns",
    "responseMs": "response_time_ns", "serviceMs": "service_time_ns", "statusCode": "status", "sendMs": "send_ns",
    "waitMs": "wait_ns", "bodyMs": "body_ns", "roomId": "room", "total": "total_bytes", "duration": "duration_ns",
}


def samples_frame(path: Union[str, os.PathLike]):
    """Returns a DataFrame of a CSV or Parquet file of samples, with the columns that 'plimsoll samples convert' writes.
    An incomplete last line of a CSV file, as left by a killed run, is ignored."""
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
    """Returns the HdrHistogram of a summary, such as run.operations[0].response_time, in ns, or None."""
    from hdrh.histogram import HdrHistogram

    text = summary.get("hdr")
    return HdrHistogram.decode(text.encode()) if text else None


def merge(summaries: Iterable[Mapping]):
    """Returns the merged HdrHistogram of several summaries, for example of operations, runs or machines, in ns. Its
    percentiles are exact, unlike a mean of percentiles."""
    from hdrh.histogram import HdrHistogram

    merged = HdrHistogram(1, 24 * 3600 * 10**9, 3)
    for summary in summaries:
        one = histogram(summary)
        if one is not None:
            merged.add(one)
    return merged


if sys.version_info < (3, 9):
    raise ImportError("plimsoll_rundoc requires Python 3.9 or later")
