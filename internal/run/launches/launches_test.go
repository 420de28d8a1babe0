package launches

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// command is a call of a kind whose runs nobody makes here.
type command struct {
	seed uint64
	file string
}

func (c *command) Settings() *setting.Set {
	return setting.New(setting.Count(&c.seed, "seed", "number", ""), setting.Text(&c.file, "file", "file", ""))
}

func (c *command) Resolve([]string, func(string) bool) error { return c.Settings().Check() }

func (c *command) Run(context.Context, *run.Env) error { return errors.New("launches make jobs") }

func (c *command) Job(*run.Env) (run.Job, error) {
	return run.Job{Workload: "lab", Files: []run.File{{Flag: "file", What: "rows", Path: c.file}}}, nil
}

func begin(t *testing.T, most int, until ...string) (*Launches, error) {
	t.Helper()
	env := &run.Env{Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false }}
	kind := run.Kind{Name: "lab", New: func() run.Command { return new(command) }}
	return New(env, &Request{Call: several.Call{Kind: kind}, Until: until, Most: most,
		Forms: run.Forms{Out: filepath.Join(t.TempDir(), "set"), Quiet: true}})
}

// made is the document of a launch with this rate.
func made(rate float64, v rundoc.Validity) *rundoc.Run {
	return &rundoc.Run{ID: "x", Workload: "lab", Ledger: rundoc.Ledger{Clients: 1, WindowNS: 1e9},
		Operations: []rundoc.Operation{{Name: "send", Scheduled: 10, OK: 10, RatePerS: rate}},
		Verdict:    rundoc.Verdict{Validity: v}}
}

// The launches end when two in a row find the interval narrow: the ninth, of which the first had another figure than all
// others, which the ranks leave out.
func TestLaunchesEndWhenTheyKnow(t *testing.T) {
	l, err := begin(t, 40, "rate±5%")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < l.Doc.Planned; at++ {
		rate := 1000 + float64(at%3)
		if at == 0 {
			rate = 100
		}
		l.take(at, made(rate, rundoc.Valid), nil)
	}
	of := l.Doc.Launches
	if !of.Known || *of.Median < 1000 || *of.Median > 1002 || len(of.Range) != 2 || of.Range[0] < 1000 {
		t.Errorf("%+v", of)
	}
	if n := len(l.Doc.Members); n < 10 || n > 20 || l.Doc.Planned != n {
		t.Errorf("%d launches of %d planned", n, l.Doc.Planned)
	}
	if err := l.Outcome(); err != nil {
		t.Error(err)
	}
	if wrong := Reread(&l.Doc); len(wrong) > 0 {
		t.Error(wrong)
	}
	of.Range[0] = 999
	if wrong := Reread(&l.Doc); len(wrong) == 0 {
		t.Error("an interval that was changed is not told")
	}
}

// Launches that differ too much are made to the last, and the outcome says that nothing is known.
func TestLaunchesThatDifferAreNotKnown(t *testing.T) {
	l, err := begin(t, 14, "rate±5%")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < l.Doc.Planned; at++ {
		l.take(at, made(1000+200*float64(at%4), rundoc.Valid), nil)
	}
	err = l.Outcome()
	if l.Doc.Launches.Known || len(l.Doc.Members) != 14 || fault.CodeOf(err) != fault.Untrusted ||
		!strings.Contains(err.Error(), "rate is not known to within 5.0%: the variation between runs is too high: after 14") {
		t.Errorf("%d launches: %v", len(l.Doc.Members), err)
	}
}

// What was not measured, cannot be trusted or was cut short has no value, and says why.
func TestLaunchesWithoutAValue(t *testing.T) {
	l, err := begin(t, 4)
	if err != nil {
		t.Fatal(err)
	}
	l.take(0, made(1000, rundoc.Valid), nil)
	l.take(1, nil, fault.New(fault.RunFailed, "nobody is there"))
	l.take(2, made(10, rundoc.Invalid), fault.New(fault.Untrusted, "no"))
	l.take(3, made(10, rundoc.Valid), fault.New(fault.Interrupted, "interrupted"))
	var why []string
	for _, v := range l.Doc.Launches.Values {
		why = append(why, v.Why)
	}
	if got := strings.Join(why, "|"); got != "|the run produced no result|the run cannot be trusted|interrupted" {
		t.Error(got)
	}
	if of := l.Doc.Launches; of.Median == nil || *of.Median != 1000 || of.Range != nil || of.Figure.Name != "rate" {
		t.Errorf("%+v", of)
	}
	if l.Doc.Kind != setdoc.KindLaunches || fault.CodeOf(l.Outcome()) != fault.Interrupted {
		t.Errorf("%s: %v", l.Doc.Kind, l.Outcome())
	}
}

// Launches of which the first three lack the figure go on no longer: the reason says what would have it.
func TestLaunchesThatLackTheFigure(t *testing.T) {
	for figure, made3 := range map[string]bool{"p99±5%": true, "rate±5%": false} {
		l, err := begin(t, 40, figure)
		if err != nil {
			t.Fatal(err)
		}
		for at := range 3 {
			l.take(at, made(1000, rundoc.Valid), nil)
		}
		if ended := l.Doc.Planned == 3; ended != made3 {
			t.Errorf("%s: planned are %d", figure, l.Doc.Planned)
		}
		if err := l.Outcome(); made3 && fault.CodeOf(err) != fault.Untrusted {
			t.Errorf("%s: %v", figure, err)
		}
	}
}

func TestLaunchesAreRefused(t *testing.T) {
	for want, ask := range map[string]struct {
		most  int
		until string
	}{
		"--repeat is 1: it must be from 2 to 1000":           {1, ""},
		"--repeat is 1001":                                   {1001, ""},
		"--until needs at least 13":                          {12, "rate±5%"},
		"the precision of rate is missing":                   {20, "rate"},
		`"speed" is not a metric`:                            {20, "speed±5%"},
		"±200% is out of range: it must be from ±1% to ±50%": {20, "rate±200%"},
	} {
		var until []string
		if ask.until != "" {
			until = []string{ask.until}
		}
		if _, err := begin(t, ask.most, until...); err == nil || !strings.Contains(err.Error(), want) ||
			fault.CodeOf(err) != fault.Usage {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The set that was written is read again as it was.
func TestLaunchesAreWrittenAndRead(t *testing.T) {
	l, err := begin(t, 8)
	if err != nil {
		t.Fatal(err)
	}
	err = l.Set.Run(t.Context(), func(at int) error {
		l.take(at, made(1000+float64(at), rundoc.Valid), nil)
		return nil
	})
	set, read := setdoc.ReadFile(filepath.Join(l.Dir(), saved.SetFile))
	if err := errors.Join(err, read); err != nil {
		t.Fatal(err)
	}
	if wrong := Reread(set); len(wrong) > 0 || len(set.Launches.Values) != 8 || set.Launches.Known {
		t.Errorf("%v: %+v", wrong, set.Launches)
	}
}

// An interval has two ends, and a set of launches has launches: a document that says else is not read.
func TestLaunchesOfAnotherShapeAreNotRead(t *testing.T) {
	for want, doc := range map[string]string{
		"the interval of the launches has 1 ends":           `{"schema":"plimsoll.set/v1","kind":"launches","launches":{"interval":[1]}}`,
		"its kind is launches, but it contains no launches": `{"schema":"plimsoll.set/v1","kind":"launches"}`,
	} {
		if _, err := setdoc.Read(strings.NewReader(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
