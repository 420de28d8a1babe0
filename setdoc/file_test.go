package setdoc_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// aSweep has something in each part of the document.
func aSweep() *setdoc.Set {
	x, p99, low, best := 100.5, int64(7e6), 0, 1
	return &setdoc.Set{
		Schema: setdoc.Schema, ID: "20260504T093000.000Z-7f3a", Kind: setdoc.KindSweep,
		Started: time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC), Ended: time.Date(2026, 5, 4, 9, 31, 0, 0, time.UTC),
		Planned: 2, Plan: []byte(`{"vary":["clients"]}`),
		Members: []setdoc.Member{
			{ID: "a", Name: "clients 1, repeat 1", Workload: "chat", Path: "members/a/run.json", Repeat: 1,
				Settings: map[string]string{"clients": "1"}, Target: "demo",
				Verdict: rundoc.Verdict{Validity: rundoc.Valid, Reasons: []string{}}},
			{ID: "b", Name: "clients 2, repeat 1", Workload: "chat", Exit: 1, Error: "ws://a/?b=1&c=<2>",
				Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"why"}}},
		},
		Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"one of two runs is suspect"}},
		Sweep: &setdoc.Sweep{
			Workload: "chat", Vary: []setdoc.Vary{{Setting: "clients", Values: []string{"1", "2"}, Numeric: true}},
			Repeats: 1, Seed: 7, Order: []int{1, 0}, Figure: setdoc.Figure{Name: "rate", Unit: "per_s", Of: "messages"},
			Rows:   []setdoc.Row{{Values: []string{"1"}, Throughput: &x, ServiceP99NS: &p99}, {Values: []string{"2"}}},
			Levels: []setdoc.Level{{Values: []string{"1"}, Interval: []float64{90, 110}}, {Values: []string{"2"}}},
			Base:   &setdoc.Base{W1: 1e7, Single: true}, Scaling: &setdoc.Scaling{Refused: "too few levels"},
			Peak: &best, Best: &low, Ending: setdoc.EndsOnPlateau,
		},
	}
}

func TestWriteAndReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.json")
	set := aSweep()
	set.Started = set.Started.In(time.FixedZone("", 7200))
	for range 2 { // the second time it replaces the first
		if err := setdoc.WriteFile(path, set); err != nil {
			t.Fatal(err)
		}
	}
	got, err := setdoc.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var plan bytes.Buffer
	_, _ = plan.Write(bytes.ReplaceAll(bytes.ReplaceAll(got.Plan, []byte(" "), nil), []byte("\n"), nil))
	got.Plan = plan.Bytes()
	if diff := cmp.Diff(aSweep(), got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{`"started": "2026-05-04T09:30:00Z"`, `ws://a/?b=1&c=<2>`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in the file", want)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

// An empty set has lists, which programs can go through, and no null.
func TestWriteHasNoNulls(t *testing.T) {
	var text bytes.Buffer
	for _, set := range []*setdoc.Set{
		{Kind: setdoc.KindSweep, Plan: []byte("{}"), Sweep: &setdoc.Sweep{}},
		{Kind: setdoc.KindCompare, Plan: []byte("{}"), Comparison: &setdoc.Comparison{Launches: make([]setdoc.Launch, 1)}},
	} {
		if err := setdoc.Write(&text, set); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(text.String(), "null") {
		t.Error(text.String())
	}
}

func TestReadRejects(t *testing.T) {
	const head = "{\n\"schema\": \"plimsoll.set/v1\", \"kind\": \"sweep\",\n"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", " \n", "set.json: empty file: no set document was written to it"},
		{"no JSON", head + ",}", "set.json:3: not a set document: invalid character"},
		{"cut off", head + `"members": [`, "set.json:3: not a set document: unexpected end"},
		{"text after it", head + `"sweep":{}}{}`, "after top-level value"},
		{"a list", `[]`, "not a set document"},
		{"no schema", `{}`, "it has no schema"},
		{"another version", `{"schema":"plimsoll.set/v2","members":7}`, "of another version of Plimsoll"},
		{"a run", `{"schema":"plimsoll.run/v1"}`, `it is a "plimsoll.run/v1"`},
		{"a wrong type", head + `"planned":"x"}`, "set.json:3: not a set document: json: cannot unmarshal string"},
		{"a sweep without one", head + `"id":"a"}`, "its kind is sweep, but it contains no sweep"},
		{"a level that is not there", head + `"sweep":{"levels":[{"values":[]}],"peak":1}}`, "peak refers to level 2 of 1"},
		{"a level below the first", head + `"sweep":{"levels":[{"values":[]}],"best":-1}}`, "best refers to level 0 of 1"},
		{"a base that is not there", head + `"sweep":{"base":{"level":0}}}`, "base refers to level 1 of 0"},
		{"failures from nowhere", head + `"sweep":{"fails_from":9}}`, "fails_from refers to level 10 of 0"},
		{"an order of other rows", head + `"sweep":{"order":[3]}}`, "the order refers to row 4 of 0"},
		{"a row of other settings", head + `"sweep":{"rows":[{"values":["1"]}]}}`, "row 1 has 1 values for 0 settings"},
		{"a level of other settings", head + `"sweep":{"vary":[{}],"levels":[{"values":[]}]}}`,
			"level 1 has 0 values for 1 settings"},
		{"half an interval", head + `"sweep":{"levels":[{"values":[],"throughput_interval":[1]}]}}`,
			"the interval of level 1 has 1 ends"},
		{"a comparison without one", strings.Replace(head, "sweep", "compare", 1) + `"id":"a"}`, "its kind is compare, but it contains no comparison"},
		{"a launch of other figures", head + `"comparison":{"launches":[{"values":[[],[{}]]}]}}`,
			"launch 1 has 1 values of side 2 for 0 metrics"},
		{"a launch of three sides", head + `"comparison":{"launches":[{"first":2}]}}`, "launch 1 starts with side 3 of 2"},
		{"a launch beside less than nobody", head + `"comparison":{"launches":[{"others":-9e20}]}}`,
			"other programs, -9e+20, "},
		{"a launch beside more than all", head + `"comparison":{"launches":[{"others":1.01}]}}`, "other programs, 1.01, "},
		{"a row of nothing", head + `"comparison":{"rows":[{"figure":1}],"figures":[{}]}}`, "row 1 refers to metric 2 of 1"},
		{"a member elsewhere", head + `"members":[{"path":"../../x/run.json"}],"sweep":{}}`,
			`the path of member 1, "../../x/run.json", is outside`},
		{"a member at a root", head + `"members":[{"path":"/etc/passwd"}],"sweep":{}}`, "is outside the directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "set.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := setdoc.ReadFile(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			wantSchema := tt.name == "no schema" || tt.name == "another version" || tt.name == "a run"
			if errors.Is(err, setdoc.ErrSchema) != wantSchema {
				t.Errorf("ErrSchema in %v: %v", err, !wantSchema)
			}
		})
	}
}

func TestReadToleratesUnknownFields(t *testing.T) {
	set, err := setdoc.Read(strings.NewReader(`{"schema":"plimsoll.set/v1","kind":"search","moon":{"phase":3},"id":"7"}`))
	if err != nil || set.ID != "7" {
		t.Errorf("%+v, %v", set, err)
	}
}

func FuzzRead(f *testing.F) {
	var sound bytes.Buffer
	if err := setdoc.Write(&sound, aSweep()); err != nil {
		f.Fatal(err)
	}
	f.Add(sound.Bytes())
	f.Add([]byte(`{"schema":"plimsoll.set/v1","kind":"sweep","sweep":{"levels":[{"values":null}],"peak":0,"order":[]}}`))
	f.Add([]byte(`{"schema":"plimsoll.set/v1","kind":"compare","comparison":{"launches":[{"values":[null,[{"of":2}]]}],"figures":[{}]}}`))
	f.Add([]byte(`{"schema":"plimsoll.set/v1","kind":"plan","members":[{"path":"..//a"},{"path":"a/../b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := setdoc.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		// Whatever can be read can be written, and is read as the same then.
		var once, twice bytes.Buffer
		if err := setdoc.Write(&once, set); err != nil {
			t.Skip("a date that JSON cannot express: ", err)
		}
		again, err := setdoc.Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := setdoc.Write(&twice, again); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("another document: %v\n%s\n%s", err, once.Bytes(), twice.Bytes())
		}
	})
}
