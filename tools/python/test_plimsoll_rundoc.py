"""Tests of plimsoll_rundoc, which 'make test' runs: python -m unittest discover -s tools/python."""

import glob
import json
import os
import pathlib
import tempfile
import unittest

import plimsoll_rundoc as plimsoll
from plimsoll_rundoc import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURED = ROOT / "docs" / "pictures" / "run.json"


def documents():
    """The documents that the repository keeps, of all kinds."""
    for path in glob.glob(str(ROOT / "**" / "testdata" / "**" / "*.json"), recursive=True):
        try:
            raw = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(raw, dict) and str(raw.get("schema", "")) in (plimsoll.RUN_SCHEMA, plimsoll.SET_SCHEMA):
            yield pathlib.Path(path)


class TestFields(unittest.TestCase):
    def test_current(self):
        """fields.py is what the schemas make."""
        have = pathlib.Path(generate.__file__).with_name("fields.py").read_text(encoding="utf-8")
        self.assertEqual(generate.generate(ROOT / "docs"), have,
                         "run 'python3 tools/python/plimsoll_rundoc/generate.py docs > tools/python/plimsoll_rundoc/fields.py'")


class TestDocuments(unittest.TestCase):
    def walk(self, value):
        """Each field by its attribute."""
        if isinstance(value, plimsoll.Object):
            for field in value:
                if field not in ("started", "ended"):
                    self.walk(getattr(value, field))
        elif isinstance(value, dict):
            for v in value.values():
                self.walk(v)
        elif isinstance(value, list):
            for v in value:
                self.walk(v)

    def test_all(self):
        paths = list(documents())
        self.assertGreater(len(paths), 50)
        runs = [d for d in map(plimsoll.load, paths) if isinstance(d, plimsoll.Run)]
        for run in runs:
            self.walk(run)
            self.assertIsNotNone(run.started.tzinfo)
        self.assertGreaterEqual({r.workload for r in runs}, {"chat", "ws", "http", "bandwidth", "overhead", "updates"})
        frame = plimsoll.runs_frame(runs)
        self.assertEqual(len(frame), sum(len(r.operations) for r in runs))
        for run in runs:
            if run.series:
                series = plimsoll.series_frame(run)
                self.assertEqual(series["ok"].sum(), sum(p.ok for p in run.series))

    def test_attributes(self):
        run = plimsoll.load(PICTURED)
        self.assertEqual(run.operations[0].response_time.p99_ns, run.raw["operations"][0]["response_time"]["p99_ns"])
        self.assertEqual(run["operations"][0]["name"], run.operations[0].name)
        self.assertIsNone(run.aborted)
        self.assertIsNone(run.until)
        with self.assertRaises(AttributeError):
            run.operations[0].response_time.p98_ns
        with self.assertRaises(KeyError):
            run["aborted"]
        self.assertIsInstance(run.ledger.states["awaiting"], int)
        self.assertEqual(run.plan["load"], run.plan.load)

    def test_nothing_and_not_known(self):
        run = plimsoll.load(PICTURED)
        times = run.raw["operations"][0]["response_time"]
        del times["min_ns"]  # a document leaves it out where it is 0
        del times["p50_ns"]  # and this where it is not known
        import pandas

        row = plimsoll.runs_frame([run]).iloc[0]
        self.assertEqual(row["response_time_min_ns"], 0)
        self.assertIs(row["response_time_p50_ns"], pandas.NA)
        times.clear()
        times["count"] = 0
        self.assertIs(plimsoll.runs_frame([run]).iloc[0]["response_time_min_ns"], pandas.NA)

    def test_histogram(self):
        for path in documents():
            run = plimsoll.load(path)
            if not isinstance(run, plimsoll.Run) or "later" in str(path):
                continue
            for o in run.operations:
                t = o.response_time
                if not t.hdr or t.p99_ns is None:
                    continue
                h = plimsoll.histogram(t)
                self.assertEqual(h.get_total_count(), t["count"], path)
                self.assertEqual(min(max(h.get_value_at_percentile(99), t.min_ns), t.max_ns), t.p99_ns, path)
        run = plimsoll.load(PICTURED)
        times = [o.response_time for o in run.operations]
        both = plimsoll.merge(times + times)
        self.assertEqual(both.get_total_count(), 2 * sum(t["count"] for t in times))


class TestFind(unittest.TestCase):
    def setUp(self):
        self.state = tempfile.TemporaryDirectory()
        self.addCleanup(self.state.cleanup)
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = self.state.name
        self.addCleanup(lambda: os.environ.pop("XDG_STATE_HOME") if before is None
                        else os.environ.__setitem__("XDG_STATE_HOME", before))
        self.runs = pathlib.Path(self.state.name) / "plimsoll" / "runs"

    def save(self, name, file="run.json", raw=None):
        directory = self.runs / name
        directory.mkdir(parents=True)
        raw = raw or json.loads(PICTURED.read_text(encoding="utf-8"))
        (directory / file).write_text(json.dumps(raw), encoding="utf-8")
        return directory / file

    def test_names(self):
        self.assertEqual(plimsoll.ids(), [])
        with self.assertRaises(plimsoll.Error):
            plimsoll.load("last")
        first = self.save("20261121T204700.123Z-1f3a")
        second = self.save("20261122T204700.123Z-1f3b")
        (self.runs / "20261123T000000.000Z-0000").mkdir()  # killed before it had a document
        for name, want in {
            "last": second, "last~1": first, "20261121": first, "20261122T204700.123Z-1f3b": second,
            str(first): first, str(first.parent): first,
        }.items():
            self.assertEqual(plimsoll.find(name), want, name)
        for name in ("2026112", "last~2", "x", "", str(self.runs / "missing.json")):
            with self.assertRaises(plimsoll.Error, msg=name):
                plimsoll.load(name)

    def test_sets(self):
        raw = json.loads((ROOT / "internal/report/sets/testdata/plateau.json").read_text(encoding="utf-8"))
        raw["members"] = [{**m, "path": f"members/{i}/run.json"} for i, m in enumerate(raw["members"][:2])]
        path = self.save("20261124T000000.000Z-0000", "set.json", raw)
        for i in range(2):
            member = path.parent / "members" / str(i)
            member.mkdir(parents=True)
            (member / "run.json").write_text(PICTURED.read_text(encoding="utf-8"), encoding="utf-8")
        found = plimsoll.load("last")
        self.assertIsInstance(found, plimsoll.Set)
        self.assertEqual(len(found.runs()), 2)
        self.assertEqual(plimsoll.load("last/2").path, path.parent / "members/1/run.json")
        with self.assertRaises(plimsoll.Error):
            plimsoll.load("last/3")

    def test_documented(self):
        """The example of docs/data.md runs."""
        samples = os.environ.get("PLIMSOLL_SAMPLES")
        if not samples:
            self.skipTest("PLIMSOLL_SAMPLES is not set")
        text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
        example = text.partition("```python\n")[2].partition("```")[0]
        self.save("20261121T204700.123Z-1f3a")
        self.save("20261122T204700.123Z-1f3b")
        example = example.replace('"requests.parquet"', repr(os.path.join(samples, "s.parquet")))
        scope = {"print": lambda *_: None}
        exec(compile(example, "docs/data.md", "exec"), scope)
        self.assertGreater(scope["both"].get_total_count(), 0)

    def test_wrong(self):
        for text in ("", "[]", "{}", '{"schema": "plimsoll.run/v9"}'):
            path = pathlib.Path(self.state.name) / "x.json"
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(plimsoll.Error):
                plimsoll.load(path)


class TestSamples(unittest.TestCase):
    def test_csv(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "s.csv"
            path.write_text("timestamp,request,latencyMs,statusCode,sendMs,waitMs,bodyMs,bytes\n"
                            "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,0.001,12.000,0.344,512\n"
                            "2026-11-21T20:47:01.000000Z,GET /,1.000,timeout,,,,0\n2026", encoding="utf-8")
            frame = plimsoll.samples_frame(path)
            self.assertEqual(frame["response_time_ns"].tolist(), [12345000, 1000000])
            self.assertEqual(frame["send_ns"].isna().tolist(), [False, True])
            self.assertEqual(str(frame["timestamp"].iloc[0]), "2026-11-21 20:47:00.000001+00:00")
            self.assertEqual(list(frame["operation"]), ["GET /", "GET /"])

    def test_parquet(self):
        """A Parquet file that plimsoll made of a CSV file is the same frame. The Go test that runs this makes both."""
        directory = os.environ.get("PLIMSOLL_SAMPLES")
        if not directory:
            self.skipTest("PLIMSOLL_SAMPLES is not set")
        import pandas

        csv, parquet = (plimsoll.samples_frame(os.path.join(directory, f)) for f in ("s.csv", "s.parquet"))
        pandas.testing.assert_frame_equal(csv, parquet, check_dtype=True)


if __name__ == "__main__":
    unittest.main()
