package rundoc

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEdgesOfReadingAndWriting(t *testing.T) {
	here := time.FixedZone("here", 3600)
	run := &Run{ID: "x", Started: time.Date(2026, 11, 1, 1, 0, 0, 0, here), Ended: time.Date(2026, 11, 1, 2, 0, 0, 0, here),
		Phases: []Phase{{Name: "window", Started: time.Date(2026, 11, 1, 1, 30, 0, 0, here)}}, Warnings: []Warning{{Code: "gaps"}}}
	var text bytes.Buffer
	if err := Write(&text, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"operations": []`, `"reconnects": []`, `"retries": []`, `"series": []`, `"reasons": []`,
		`"schema": "plimsoll.run/v1"`, `"2026-11-01T00:00:00Z"`, `"2026-11-01T01:00:00Z"`, `"2026-11-01T00:30:00Z"`, `"gaps"`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in %s", want, text.String())
		}
	}
	if run.Schema != "" || run.Phases[0].Started.Location() != here {
		t.Error("the run itself is another one")
	}
	path := filepath.Join(t.TempDir(), "run.json")
	if err := WriteFile(path, run); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(written, text.Bytes()) {
		t.Errorf("%v: the file has %s", err, written)
	}
	for name, read := range map[string]func() (*Run, error){
		"a text": func() (*Run, error) { return Read(bytes.NewReader(text.Bytes())) },
		"a file": func() (*Run, error) { return ReadFile(path) },
	} {
		if got, err := read(); err != nil || got == nil || got.ID != "x" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, bad := range []string{`{"schema":"plimsoll.run/v1","operations":5}`, `{"schema":"plimsoll.run/v9"}`} {
		if got, err := Read(strings.NewReader(bad)); err == nil || got != nil {
			t.Errorf("%s: %v", bad, got)
		}
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err == nil || got != nil {
			t.Errorf("a file with %s: %v", bad, got)
		}
	}
}

func TestEdgesOfReadingAgain(t *testing.T) {
	sound, wrong := Run{}, Run{Operations: []Operation{{Scheduled: 2}}}
	wrong.Operations = append(wrong.Operations, Operation{Scheduled: 3})
	is, broken := Judge(&sound), Judge(&wrong)
	if is.Validity != Suspect || !broken.Broken() || len(broken.Reasons) < 2 {
		t.Fatalf("%+v, %+v", is, broken)
	}
	with := func(v Verdict, edit func(*Verdict)) Verdict {
		v.Reasons = slices.Clone(v.Reasons)
		edit(&v)
		return v
	}
	same := func(*Verdict) {}
	const contradict = "The document says valid, but its figures contradict each other: it was changed after it was judged, or written " +
		"wrongly."
	const later = "judged by later rules: number 4, and this program has number 3"
	for _, tt := range []struct {
		name  string
		run   Run
		own   Verdict
		again bool // the verdict to show is that of the figures
		notes []string
	}{
		{"as it was", sound, with(is, same), false, nil},
		{"not judged", sound, Verdict{}, true, nil},
		{"another verdict", sound, with(is, func(v *Verdict) { v.Validity = Valid }), true,
			[]string{"The document says valid for one reason, but its own figures lead to this verdict: it was changed after it was judged."}},
		{"fewer reasons", sound, with(is, func(v *Verdict) { v.Reasons = nil }), true,
			[]string{"The document says suspect for no reason, but its own figures lead to this verdict: it was changed after it was judged."}},
		{"more reasons", sound, with(is, func(v *Verdict) { v.Reasons = []string{"a", "b"} }), true,
			[]string{"The document says suspect for 2 reasons, but its own figures lead to this verdict: it was changed after it was judged."}},
		{"older rules", sound, Verdict{Validity: Valid, Rules: Rules - 1}, false, []string{"judged by older rules"}},
		{"later rules", sound, Verdict{Validity: Valid, Rules: Rules + 1}, false, []string{later}},
		{"broken, as it says", wrong, with(broken, same), false, nil},
		{"broken, and it says otherwise", wrong, Verdict{Validity: Valid, Rules: Rules}, true, []string{contradict}},
		{"broken, by older rules", wrong, Verdict{Validity: Valid, Rules: Rules - 1}, true, []string{contradict, "judged by older rules"}},
		{"broken, by later rules", wrong, Verdict{Validity: Valid, Rules: Rules + 1}, false,
			[]string{later, "By the rules of this program its figures contradict each other: " +
				strings.TrimSuffix(broken.Reasons[0], " This is a bug in Plimsoll: please report it, with this run's document.")}},
		{"broken, as it says by later rules", wrong, with(broken, func(v *Verdict) { v.Rules = Rules + 1 }), false, []string{later}},
	} {
		tt.run.Verdict = tt.own
		got := Reread(&tt.run)
		want := tt.own
		if tt.again {
			want, _ = judge(&tt.run)
		}
		isBroken := tt.run.Operations != nil && tt.own.Rules <= Rules
		if !sameJSON(t, got.Verdict, want) || got.Broken != isBroken || !slices.Equal(got.Notes, tt.notes) {
			t.Errorf("%s: %+v, want %+v and %q", tt.name, got, want, tt.notes)
		}
	}
}

func TestEdgesOfDefinitions(t *testing.T) {
	// These names stand in documents that others read: they stay.
	if FigureClientTime != "client_time" || FigureOverhead != "overhead" || FigureSDKTime != "sdk_time" {
		t.Error("a figure has another name")
	}
	if Definition("own_start") != 2 || Definition("overhead") != 1 {
		t.Error("this program means something else")
	}
	run := Run{Definitions: map[string]int{"own_start": 3}}
	if run.Definition("own_start") != 3 || run.Definition("overhead") != 1 {
		t.Error("the run means something else")
	}
}

func TestEdgesOfPlans(t *testing.T) {
	for _, tt := range []struct {
		load           string
		open, recorded bool
		peak           float64
	}{
		{`{}`, false, false, 0}, {`{"rate_per_s":0.5}`, true, false, 0.5}, {`{"stages":[{"rate_per_s":7}]}`, true, false, 7},
		{`{"rate_per_s":9,"stages":[{"rate_per_s":7},{"rate_per_s":8}]}`, true, false, 9}, {`{"arrivals":"recorded"}`, false, true, 0},
		{`{"arrivals":"poisson"}`, false, false, 0}, {`5`, false, false, 0},
	} {
		run := Run{Plan: json.RawMessage(`{"load":` + tt.load + `}`)}
		l := run.load()
		if run.OpenModel() != tt.open || l.open() != tt.open || l.recorded() != tt.recorded || l.peak() != tt.peak {
			t.Errorf("%s: %+v", tt.load, l)
		}
	}
	l := (&Run{Plan: []byte(`{"load":{"rate_per_s":10,"stages":[{"duration_ns":2000000000,"rate_per_s":20},` +
		`{"duration_ns":1000000000,"rate_per_s":40}]}}`)}).load()
	for at, want := range map[float64]float64{0: 10, 1: 15, 2: 20, 2.5: 30, 3: 40, 9: 40} {
		if got := l.stagesRate(at); got != want {
			t.Errorf("after %v s %v/s, want %v", at, got, want)
		}
	}
}

func TestEdgesOfSharesOfClients(t *testing.T) {
	for _, tt := range []struct {
		clients    int
		window     int64
		lost, busy float64
		known      bool
	}{{0, 100, 0, 0, false}, {1, 0, 0, 0, false}, {1, 100, 0.06, 0.89, true}, {2, 100, 0.03, 0.945, true}} {
		l := Ledger{Clients: tt.clients, WindowNS: tt.window, States: map[string]int64{StateBackingOff: 1, StateReconnecting: 2,
			StateConnecting: 3, StateWaiting: 4, StateIdle: 7}}
		lost := l.lostShare()
		busy, known := l.busyShare()
		if off := busy - tt.busy; lost != tt.lost || off > 1e-9 || off < -1e-9 || known != tt.known {
			t.Errorf("%+v: %v lost, %v busy, %t", tt, lost, busy, known)
		}
	}
}

func TestEdgesOfSharesOfTheMachine(t *testing.T) {
	for _, tt := range []struct {
		name         string
		machine      float64
		cpus         int
		same         bool
		user, system int64 // of the target
		want         float64
		known        bool
	}{
		{"of nothing", 0, 2, false, 0, 0, 0, false},
		{"without CPUs", 0.5, 0, false, 0, 0, 0, false},
		{"a target elsewhere", 0.5, 2, false, 0, 0, 0.35, true},
		{"a target elsewhere, that is known", 0.5, 2, false, second, 0, 0.35, true},
		{"a target that is not known", 0.5, 2, true, 0, 0, 0, false},
		{"a target that did hardly anything", 0.5, 2, true, 1, 0, 0.35, true},
		{"a target", 0.5, 2, true, second / 10, second / 10, 0.25, true},
		{"more than the machine", 0.1, 2, false, 0, 0, 0, true},
	} {
		r := Run{Host: Host{CPUs: tt.cpus}, Ledger: lasts(second), Generator: Generator{MachineShare: tt.machine, CPUUserNS: second / 5,
			CPUSystemNS: second / 10}, Target: Target{SameHost: tt.same, CPUUserNS: tt.user, CPUSystemNS: tt.system}}
		got, known := r.OthersShare()
		if off := got - tt.want; off > 1e-6 || off < -1e-6 || known != tt.known {
			t.Errorf("%s: %v, %t", tt.name, got, known)
		}
	}
	for _, tt := range []struct {
		share  float64
		window int64
		known  bool
	}{{0, second, false}, {0.5, second, true}, {0.5, 0, true}, {0.5, 1, false}, {0.5, 499_999_999, false}, {0.5, 500_000_000, true}} {
		r := Run{Ledger: lasts(tt.window), Generator: Generator{MachineShare: tt.share}}
		if got, known := r.MachineShare(); got != tt.share || known != tt.known {
			t.Errorf("%+v: %v, %t", tt, got, known)
		}
	}
}

func TestEdgesOfWhatIsForgotten(t *testing.T) {
	for _, tt := range []struct {
		throttled *int64
		inFlight  *float64
		open      bool
		want      bool // whether they stay
	}{{nil, nil, false, false}, {new(int64), new(float64), false, false}, {new(int64(1)), new(0.5), true, true}, {new(int64(2)), new(2.0), true, true}} {
		run := Run{Generator: Generator{ThrottledNS: tt.throttled, OwnLate: new(int64)}, Series: []Point{{InFlight: tt.inFlight}}}
		if tt.open {
			run.Plan = []byte(`{"load":{"rate_per_s":1}}`)
		}
		run.forgetZeros()
		if g := run.Generator; g.ThrottledNS != nil != tt.want || run.Series[0].InFlight != nil != tt.want || g.OwnLate != nil != tt.open {
			t.Errorf("%+v: %+v, %+v", tt, g, run.Series[0])
		}
	}
	for _, tt := range []struct {
		ended         int64
		p50, p99, own int64
	}{{19, 0, 0, 0}, {20, 1, 0, 0}, {999, 1, 0, 0}, {1000, 1, 2, 3}} {
		run := Run{Series: []Point{{OK: tt.ended - 9, Failed: 9, P50NS: 1, P99NS: 2, OwnP99NS: 3}},
			Operations: []Operation{{Scheduled: tt.ended, Unsent: 4}, {Scheduled: 4}},
			Generator:  Generator{SendDelayP99NS: 2, OwnDelayP99NS: 3}}
		run.forgetUnsupported()
		p, g := run.Series[0], run.Generator
		if p.P50NS != tt.p50 || p.P99NS != tt.p99 || p.OwnP99NS != tt.own || g.SendDelayP99NS != tt.p99 || g.OwnDelayP99NS != tt.own {
			t.Errorf("of %d: %+v, %+v", tt.ended, p, g)
		}
	}
}

func TestEdgesOfWhatARunSays(t *testing.T) {
	if late := (&Generator{OwnLate: new(int64(3))}).ownLate(); late != 3 || new(Generator).ownLate() != 0 {
		t.Errorf("%d late", late)
	}
	if by := (&Generator{OwnDelayP99NS: 1}).lateBy(); by != ", one in a hundred by 1.00 ns or more" || new(Generator).lateBy() != "" {
		t.Errorf("late by %q", by)
	}
	total := &Operation{Scheduled: 9, Unsent: 2}
	for want, flows := range map[int64][]FlowFigures{9: nil, 5: {{Started: 3}}, 7: {{Started: 3}, {Started: 2}}} {
		if got := (&Run{Flows: flows}).arrivals(total); got != want {
			t.Errorf("%d arrivals, want %d", got, want)
		}
	}
	phases := []Phase{{Name: PhaseWindow, DurationNS: 5}, {Name: "drain", DurationNS: 6}}
	for want, run := range map[int64]Run{1: {Ledger: lasts(1), Phases: phases}, 5: {Phases: phases}, 0: {Phases: phases[1:]}} {
		if got := run.window(); got != want {
			t.Errorf("a window of %d, want %d", got, want)
		}
	}
	if p := (&Run{Phases: phases}).phase("drain"); p != &phases[1] {
		t.Errorf("%+v", p)
	}
	if got := (&Operation{Name: "send", Labels: map[string]string{"type": "TEXT", "a": "b"}}).String(); got != "send a=b type=TEXT" {
		t.Errorf("%q", got)
	}
	if seconds(1_500_000_000) != 1.5 || orAbsent(nil) != "absent" || orAbsent(new(int64(1))) != "1.00 ns" {
		t.Error("what is written of times is something else")
	}
	for n, want := range map[int64]string{0: "no x", 1: "one x", 2: "2 xs"} {
		if got := countOf(n, "x"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
