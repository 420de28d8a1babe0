package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/internal/vary"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lab is a kind of traffic whose runs take no time.
type lab struct {
	made   []string                          // "clients seed pause" of each run
	fail   map[int]error                     // of the run at a place, which measures nothing
	during func(at int)                      // a run
	soft   func(at int, ctx context.Context) // likewise, of what an interrupt ends
	hard   func(context.Context)
}

// command is one call of its command.
type command struct {
	lab     *lab
	clients int
	seed    uint64
	pause   time.Duration
	quiet   bool
	file    string
}

func (c *command) Settings() *setting.Set {
	return setting.New(
		setting.Count(&c.clients, "clients", "count", "").Between(1, 100).SaysConcurrency().At("load.clients"),
		setting.Count(&c.seed, "seed", "number", ""),
		setting.Duration(&c.pause, "pause", ""),
		setting.Switch(&c.quiet, "quiet", ""),
		setting.Text(&c.file, "file", "file", ""),
	)
}

func (c *command) Resolve([]string, func(string) bool) error { return c.Settings().Check() }

func (c *command) Run(context.Context, *run.Env) error { return errors.New("a sweep makes jobs") }

func (c *command) Job(*run.Env) (run.Job, error) {
	return run.Job{
		Workload: "lab", Operations: "messages", Work: c,
		Files: []run.File{{Flag: "file", What: "rows", Path: c.file}},
	}, nil
}

func (c *command) Measure(soft, hard context.Context, _ *run.Run) (*run.Found, error) {
	at := len(c.lab.made)
	c.lab.made = append(c.lab.made, fmt.Sprintf("%d %d %v", c.clients, c.seed, c.pause))
	if c.lab.during != nil {
		c.lab.during(at)
	}
	if c.lab.soft != nil {
		c.lab.soft(at, soft)
	}
	if c.lab.hard != nil {
		c.lab.hard(hard)
	}
	if err := c.lab.fail[at]; err != nil {
		return nil, err
	}
	doc := &rundoc.Run{
		Interrupted: soft.Err() != nil,
		Ledger:      rundoc.Ledger{Clients: c.clients, WindowNS: 1e9},
		Operations:  []rundoc.Operation{{Name: "send", Scheduled: 10, OK: 10}},
	}
	return &run.Found{Doc: doc, Plan: c.Settings()}, nil
}

func (c *command) Conclude(*rundoc.Run) run.Conclusion { return run.Conclusion{} }

// request is a sweep of it over two numbers of clients, three times.
func (l *lab) request(dir string) *Request {
	return &Request{
		Kind: run.Kind{
			Name: "lab", New: func() run.Command { return &command{lab: l, clients: 1} }, Report: report.Kind{},
			AmongMany: []run.Preset{{Setting: "pause", Value: "5ms"}},
		},
		Vary:    []vary.Setting{{Name: "clients", Values: []string{"1", "4"}, Numeric: true, Concurrency: true}},
		Repeats: 3, Seed: 40, Forms: run.Forms{Out: dir, Quiet: true},
	}
}

// environment is one whose signals are sent by signal.
func environment() (env *run.Env, signal func()) {
	signals := make(chan os.Signal, 2)
	return &run.Env{
		Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false },
		Signals:   func() (<-chan os.Signal, func()) { return signals, func() {} },
	}, func() { signals <- os.Interrupt }
}

func sweepOf(t *testing.T, r *Request) (*Sweep, func()) {
	t.Helper()
	env, signal := environment()
	s, err := New(env, r)
	if err != nil {
		t.Fatal(err)
	}
	return s, signal
}

// Each run is a command of its own; all settings of a repeat have one seed, and what nobody said is as among many.
func TestSweepInTheOrderGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dir := &lab{}, t.TempDir()
		s, _ := sweepOf(t, l.request(dir))
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"1 40 5ms", "4 40 5ms", "1 41 5ms", "4 41 5ms", "1 42 5ms", "4 42 5ms"}
		if !slices.Equal(l.made, want) {
			t.Errorf("made %q", l.made)
		}
		set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Members) != 6 || len(set.Sweep.Rows) != 6 || len(set.Sweep.Levels) != 2 || set.Planned != 6 {
			t.Errorf("%d members, %d rows, %d levels", len(set.Members), len(set.Sweep.Rows), len(set.Sweep.Levels))
		}
		if m := set.Members[3]; m.Name != "clients 4, repeat 2" || m.Settings["clients"] != "4" || m.Repeat != 2 {
			t.Errorf("the fourth is %+v", m)
		}
		if err := s.Outcome(); err != nil && fault.CodeOf(err) != fault.Untrusted { // the lab keeps no laws
			t.Error(err)
		}
	})
}

// What keeps the first run from starting ends the sweep; what befalls another one is its own, and the document has the
// set after each.
func TestSweepContinuesAfterAFailedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := fault.New(fault.RunFailed, "nobody is there")
		l := &lab{fail: map[int]error{0: refused}}
		s, _ := sweepOf(t, l.request(t.TempDir()))
		if err := s.Run(t.Context()); !errors.Is(err, refused) || len(l.made) != 1 {
			t.Errorf("%v after %d runs", err, len(l.made))
		}
		dir := t.TempDir()
		l = &lab{fail: map[int]error{2: refused, 3: refused}} // the third, which tries twice
		l.during = func(at int) {
			if at == 0 || at > 2 {
				return
			}
			set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
			if err != nil || len(set.Members) != at {
				t.Errorf("during run %d: %v", at+1, err)
			}
		}
		s, _ = sweepOf(t, l.request(dir))
		if err := s.Run(t.Context()); err != nil || len(l.made) != 7 {
			t.Fatalf("%v after %d runs", err, len(l.made))
		}
		m := s.Doc.Members[2]
		if m.Error != "nobody is there" || m.Exit != 1 || m.Path != "" || len(s.Doc.Sweep.Rows) != 6 || s.Doc.Sweep.Levels[0].Lost != 1 ||
			len(sweep.Reread(&s.Doc)) > 0 {
			t.Errorf("%+v, and %d rows", m, len(s.Doc.Sweep.Rows))
		}
		if err := s.Outcome(); err == nil {
			t.Error("it went well")
		}
	})
}

// A run that could not begin tries once more: the server may still have been busy with the end of the one before.
func TestSweepRetriesARunThatCannotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{fail: map[int]error{2: fault.New(fault.RunFailed, "too many connections")}}
		s, _ := sweepOf(t, l.request(t.TempDir()))
		if err := s.Run(t.Context()); err != nil || len(l.made) != 7 || l.made[2] != l.made[3] {
			t.Fatalf("%v after %q", err, l.made)
		}
		if len(s.Doc.Members) != 6 || s.Doc.Members[2].ID == "" || s.Doc.Sweep.Levels[0].Lost != 0 {
			t.Errorf("%d members, %+v", len(s.Doc.Members), s.Doc.Sweep.Levels[0])
		}
	})
}

// An interrupt ends the run that goes on, which is a member and no row, and there are no more.
func TestSweepIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{}
		s, signal := sweepOf(t, l.request(t.TempDir()))
		l.soft = func(at int, ctx context.Context) {
			if at == 1 {
				signal()
				<-ctx.Done() // it was heard
			}
		}
		if err := s.Run(t.Context()); err != nil || len(l.made) != 2 {
			t.Fatalf("%v after %d runs", err, len(l.made))
		}
		if len(s.Doc.Members) != 2 || len(s.Doc.Sweep.Rows) != 1 || !s.Doc.Interrupted {
			t.Errorf("%d members, %d rows, interrupted %v", len(s.Doc.Members), len(s.Doc.Sweep.Rows), s.Doc.Interrupted)
		}
		if err := s.Outcome(); fault.CodeOf(err) != fault.Interrupted {
			t.Error(err)
		}
	})
}

// Between two runs an interrupt ends the sweep as well.
func TestSweepIsInterruptedInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{}
		r := l.request(t.TempDir())
		r.Pause = time.Hour
		s, signal := sweepOf(t, r)
		l.during = func(int) { time.AfterFunc(time.Minute, signal) } // long before the pause ends
		if err := s.Run(t.Context()); err != nil || len(l.made) != 1 {
			t.Fatalf("%v after %d runs", err, len(l.made))
		}
		if err := s.Outcome(); fault.CodeOf(err) != fault.Interrupted {
			t.Error(err)
		}
		if set, err := setdoc.ReadFile(filepath.Join(r.Forms.Out, saved.SetFile)); err != nil || !set.Interrupted {
			t.Errorf("%v; the document does not say that it was interrupted", err)
		}
	})
}

// A set that cannot be saved any more ends the sweep, which has what was measured to show.
func TestSweepThatCannotBeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dir := &lab{}, t.TempDir()
		s, _ := sweepOf(t, l.request(dir))
		l.during = func(at int) {
			if at != 2 {
				return
			}
			file := filepath.Join(dir, saved.SetFile)
			if err := errors.Join(os.Remove(file), os.MkdirAll(filepath.Join(file, "in", "the", "way"), 0o755)); err != nil {
				t.Error(err)
			}
		}
		if err := s.Run(t.Context()); err != nil || len(l.made) != 3 || len(s.Doc.Sweep.Rows) != 3 {
			t.Fatalf("%v after %d runs, %d rows", err, len(l.made), len(s.Doc.Sweep.Rows))
		}
		if err := s.Outcome(); err == nil || !strings.Contains(err.Error(), "cannot save the set") {
			t.Error(err)
		}
	})
}

// A second interrupt ends the run that goes on at once.
func TestSweepIsInterruptedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{}
		s, signal := sweepOf(t, l.request(t.TempDir()))
		l.hard = func(hard context.Context) {
			signal()
			signal()
			<-hard.Done() // else the run goes on, until the tests' own deadline
		}
		err := s.Run(t.Context())
		if len(l.made) != 1 || err != nil && fault.CodeOf(err) != fault.Interrupted {
			t.Errorf("%v after %d runs", err, len(l.made))
		}
		if err == nil && fault.CodeOf(s.Outcome()) != fault.Interrupted {
			t.Error(s.Outcome())
		}
	})
}

// Every cell is checked before the first run.
func TestSweepChecksEachCell(t *testing.T) {
	env, _ := environment()
	for want, edit := range map[string]func(*Request){
		"with clients 101: --clients is 101":              func(r *Request) { r.Vary[0].Values = []string{"1", "101"} },
		"--file: each run of a sweep would":               func(r *Request) { r.Given = []several.Given{{Name: "file", Values: []string{"x"}}} },
		"--vary clients and --clients cannot be combined": func(r *Request) { r.Given = []several.Given{{Name: "clients", Values: []string{"2"}}} },
		"a sweep needs --vary":                            func(r *Request) { r.Vary = nil },
		"this sweep has 2000 runs":                        func(r *Request) { r.Repeats = 1000 },
	} {
		l := &lab{}
		r := l.request(t.TempDir())
		edit(r)
		if _, err := New(env, r); err == nil || !strings.HasPrefix(err.Error(), want) || len(l.made) > 0 {
			t.Errorf("%v after %d runs, want %q", err, len(l.made), want)
		}
	}
}
