package comparisons

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
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// command is one call of a kind's command whose runs are never made: a test says what became of them.
type command struct {
	clients int
	rate    float64
	seed    uint64
	file    string
	header  string
}

func (c *command) Settings() *setting.Set {
	return setting.New(
		setting.Count(&c.clients, "clients", "count", "").Between(1, 100).SaysConcurrency().At("load.clients"),
		setting.Rate(&c.rate, "rate", "").At("load.rate_per_s"),
		setting.Count(&c.seed, "seed", "number", "").At("load.seed"),
		setting.Text(&c.file, "file", "file", ""),
		setting.Text(&c.header, "header", "name: value", "").WrittenAs(func() any { return "…" }).At("header"),
	)
}

func (c *command) Resolve([]string, func(string) bool) error { return c.Settings().Check() }

func (c *command) Run(context.Context, *run.Env) error { return errors.New("a comparison makes jobs") }

func (c *command) Job(*run.Env) (run.Job, error) {
	return run.Job{
		Workload: "lab", Operations: "messages", Work: c,
		Files: []run.File{{Flag: "file", What: "rows", Path: c.file}},
	}, nil
}

func (c *command) Measure(context.Context, context.Context, *run.Run) (*run.Found, error) {
	return nil, errors.New("nobody measures")
}

func (c *command) Conclude(*rundoc.Run) run.Conclusion { return run.Conclusion{} }

func lab() run.Kind {
	return run.Kind{Name: "lab", New: func() run.Command { return &command{clients: 1} }, Report: report.Kind{}}
}

func request(dir string) *Request {
	call := several.Call{Kind: lab(), Args: []string{"x://h/?key=hunter2"}}
	return &Request{
		Sides:   [2]Side{{Name: "x://h/?key=…", Call: call}, {Name: "x://h/?key=…", Call: call}},
		Figures: []string{"rate", "failed"}, Launches: 30, Seed: 40, Forms: run.Forms{Out: dir, Quiet: true},
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

// measured is the document of a run of so many operations a second, of which some failed.
func measured(rate float64, failed int64) *rundoc.Run {
	return &rundoc.Run{
		ID:      fmt.Sprintf("r%v", rate),
		Ledger:  rundoc.Ledger{Clients: 1, WindowNS: 1e9},
		Verdict: rundoc.Verdict{Validity: rundoc.Valid},
		Operations: []rundoc.Operation{{Name: "send", Scheduled: int64(rate), OK: int64(rate) - failed, Failed: failed,
			RatePerS: rate}},
	}
}

// made is a comparison whose launches are what become says, and whose analysis is decide's.
func comparisonOf(t *testing.T, r *Request, become func(at int) *pair.Made, decide func(*setdoc.Comparison)) (
	c *Comparison, signal func(), options *[]pair.Options) {
	t.Helper()
	env, signal := environment()
	c, err := New(env, r)
	if err != nil {
		t.Fatal(err)
	}
	options = new([]pair.Options)
	c.analyze = func(of *setdoc.Comparison) {
		if decide != nil {
			decide(of)
		}
	}
	c.launch = func(_, _ context.Context, _ *run.Env, _ [2]run.Job, o pair.Options) *pair.Made {
		*options = append(*options, o)
		return become(o.Member.At)
	}
	return c, signal, options
}

func both(at int) *pair.Made {
	return &pair.Made{Docs: [2]*rundoc.Run{measured(100, 1), measured(100+float64(at), 0)}}
}

// A comparison makes its launches, keeps the values of both sides, and goes on to the last look.
func TestComparisonMakesItsLaunches(t *testing.T) {
	dir := t.TempDir()
	c, _, options := comparisonOf(t, request(dir), both, nil)
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
	if err != nil {
		t.Fatal(err)
	}
	of := set.Comparison
	if len(set.Members) != 60 || len(of.Launches) != 30 || set.Planned != 60 || set.Kind != setdoc.KindCompare {
		t.Fatalf("%d members, %d launches, %d planned", len(set.Members), len(of.Launches), set.Planned)
	}
	l := of.Launches[7]
	if *l.Values[0][0].Value != 100 || *l.Values[1][0].Value != 107 || *l.Values[0][1].Value != 0.01 ||
		l.Values[0][1].Of != 100 || l.Members[1] != "r107" {
		t.Errorf("the eighth is %+v", l)
	}
	second := set.Members[2*7+1-l.First]
	if second.Name != "launch 8, B" || second.Repeat != 8 || second.Settings["side"] != "B" {
		t.Errorf("its member is %+v", second)
	}
	if of.Figures[0].Less || !of.Figures[1].Less || of.Figures[0].Of != "messages" || len(of.Alphas) == 0 {
		t.Errorf("%+v", of.Figures)
	}
	first := 0
	for i, o := range *options {
		first += o.First
		if i%2 == 1 && (*options)[i-1].First == o.First {
			t.Errorf("launches %d and %d begin with the same side", i, i+1)
		}
	}
	if first != 15 {
		t.Errorf("B begins %d of 30 launches", first)
	}
	if err := c.Outcome(); err != nil {
		t.Error(err)
	}
}

// Which side begins is drawn by lot: another seed, another order.
func TestOrderOfTheSides(t *testing.T) {
	order := func(seed uint64) (list []int) {
		for at := range 30 {
			list = append(list, First(seed, at))
		}
		return list
	}
	if !slices.Equal(order(1), order(1)) || slices.Equal(order(1), order(2)) {
		t.Errorf("%v, %v", order(1), order(2))
	}
}

// It ends as soon as all is decided, and then no run is missing.
func TestComparisonEndsWhenDecided(t *testing.T) {
	c, _, options := comparisonOf(t, request(t.TempDir()), both, func(of *setdoc.Comparison) {
		if len(of.Launches) == 10 {
			of.Decided = "every row is decided"
		}
	})
	if err := c.Run(t.Context()); err != nil || len(*options) != 10 || c.Doc.Planned != 20 || c.Doc.Interrupted {
		t.Errorf("%v after %d launches, %d planned", err, len(*options), c.Doc.Planned)
	}
}

// Another launch is made for each that was dropped, but not for ever.
func TestDroppedLaunchesAreMadeAgain(t *testing.T) {
	for dropped, want := range map[int]int{0: 30, 4: 34, 9: 39} {
		busy := 0.5
		c, _, options := comparisonOf(t, request(t.TempDir()), func(at int) *pair.Made {
			m := both(at)
			m.Others = &busy
			return m
		}, func(of *setdoc.Comparison) {
			for i := range of.Launches {
				of.Launches[i].Dropped = i < dropped
			}
		})
		if err := c.Run(t.Context()); err != nil || len(*options) != want || c.Doc.Planned != 2*want {
			t.Errorf("%d dropped: %v after %d launches, want %d, %d planned", dropped, err, len(*options), want, c.Doc.Planned)
		}
	}
}

// dropping is a comparison of which these launches are dropped.
func dropping(t *testing.T, dropped func(at int) bool) (c *Comparison, options *[]pair.Options) {
	t.Helper()
	busy := 0.7
	c, _, options = comparisonOf(t, request(t.TempDir()), func(at int) *pair.Made {
		m := both(at)
		m.Others = &busy
		return m
	}, func(of *setdoc.Comparison) {
		for i := range of.Launches {
			of.Launches[i].Dropped = dropped(i)
		}
	})
	return c, options
}

// No more launches than twice as many as were asked for are made, and none behind ten in a row that were dropped.
func TestLaunchesAreNotDroppedForEver(t *testing.T) {
	for name, test := range map[string]struct {
		dropped func(at int) bool
		want    int
	}{
		"each second":         {func(at int) bool { return at%2 == 1 }, 59},
		"two of three":        {func(at int) bool { return at%3 != 0 }, 60},
		"all":                 {func(int) bool { return true }, 10},
		"all from the fourth": {func(at int) bool { return at > 2 }, 13},
	} {
		c, options := dropping(t, test.dropped)
		if err := c.Run(t.Context()); err != nil || len(*options) != test.want || c.Doc.Planned != 2*test.want {
			t.Errorf("%s: %v after %d launches, want %d, %d planned", name, err, len(*options), test.want, c.Doc.Planned)
		}
	}
}

// The limit on what others use is fixed before the first launch: the one that was given, or half of what they leave.
func TestBusyLimit(t *testing.T) {
	for name, test := range map[string]struct {
		given, others float64
		known         bool
		want          float64
		says          string
	}{
		"given":            {0.3, 0.9, true, 0.3, ""},
		"none":             {0, 0.9, true, 0, ""},
		"a quiet machine":  {run.BusySuits, 0.013, true, 0.51, ""},
		"a busy one":       {run.BusySuits, 0.64, true, 0.82, "other programs use 64% of the CPUs; launches in which they use more than 82% are dropped\n"},
		"one that is full": {run.BusySuits, 0.998, true, 1, "other programs use 99.8% of the CPUs; no launch is dropped because of that\n"},
		"not known":        {run.BusySuits, 0, false, 0.5, ""},
	} {
		r := request(t.TempDir())
		r.BusyLimit, r.Forms.Quiet = test.given, false
		c, _, _ := comparisonOf(t, r, nil, nil)
		asked, fixed := 0, -1.0
		c.others = func(context.Context) (float64, bool) {
			asked++
			return test.others, test.known
		}
		var said strings.Builder
		c.env.Stderr = &said
		c.launch = func(_, _ context.Context, _ *run.Env, _ [2]run.Job, o pair.Options) *pair.Made {
			if o.Member.At == 0 {
				fixed = c.of.BusyLimit
			}
			return both(o.Member.At)
		}
		if err := c.Run(t.Context()); err != nil || fixed != test.want || c.of.BusyLimit != test.want || asked > 1 {
			t.Errorf("%s: %v; %v before the first launch, %v at the end, want %v; asked %d times", name, err, fixed,
				c.of.BusyLimit, test.want, asked)
		}
		if had := strings.Contains(said.String(), "other programs use"); had != (test.says != "") || !strings.Contains(said.String(), test.says) {
			t.Errorf("%s: it said %q, want %q", name, said.String(), test.says)
		}
	}
}

// A launch that went well has a line where no terminal shows how far it is; what goes wrong is told in any case, but
// for a quiet comparison.
func TestLinesOfLaunches(t *testing.T) {
	for name, test := range map[string]struct {
		terminal, quiet bool
		want            string
	}{
		"a file":     {false, false, "launch 1: rate 100/s and 100/s\nlaunch 2: dropped: other programs used 70.0% of the CPUs\nlaunch 3: rate 100/s and 102/s\n"},
		"a terminal": {true, false, "plimsoll: launch 2: dropped: other programs used 70.0% of the CPUs\n"},
		"quiet":      {false, true, ""},
	} {
		c, _ := dropping(t, func(at int) bool { return at == 1 })
		c.request.Launches, c.request.Forms.Quiet = 2, test.quiet
		c.Doc.Planned = 4
		var said strings.Builder
		c.env.Stderr, c.env.IsTerminal = &said, func(io.Writer) bool { return test.terminal }
		if err := c.Run(t.Context()); err != nil || said.String() != test.want {
			t.Errorf("%s: %v; it said %q, want %q", name, err, said.String(), test.want)
		}
	}
}

// How far a comparison is goes by its launches, also where some of them are made once more.
func TestProgress(t *testing.T) {
	for _, test := range []struct {
		at      int
		each    time.Duration
		elapsed time.Duration
		what    string
		done    float64
		left    time.Duration
	}{
		{0, 0, time.Second, "launch 1 of up to 10", 0, -1},
		{2, 3 * time.Second, 7 * time.Second, "launch 3 of up to 10", 0.2, 23 * time.Second},
		{9, time.Second, 12 * time.Second, "launch 10 of up to 10", 0.9, 0},
		{11, time.Second, 14 * time.Second, "launch 12 of up to 12", 1, 0},
	} {
		p := new(progress)
		p.at.Store(int64(test.at))
		p.each.Store(int64(test.each))
		if l := p.live(10, test.elapsed); l.What != test.what || l.Done != test.done || l.Left != test.left || l.Elapsed != test.elapsed {
			t.Errorf("in launch %d: %+v", test.at+1, l)
		}
	}
}

// The command of a side is as it was given, with what both sides have.
func TestCommandOfASide(t *testing.T) {
	for _, test := range []struct {
		command string
		both    []several.Given
		want    string
	}{
		{"plimsoll run a.yaml", nil, "plimsoll run a.yaml"},
		{"plimsoll run a.yaml", []several.Given{{Name: "clients", Values: []string{"3"}}}, "plimsoll lab 'x://h/?key=…' --clients 3"},
		{"", nil, "plimsoll lab 'x://h/?key=…'"},
	} {
		r := request(t.TempDir())
		r.Sides[0].Command, r.Both = test.command, test.both
		env, _ := environment()
		c, err := New(env, r)
		if err != nil || c.of.Sides[0].Command != test.want {
			t.Errorf("%v, want %s", c.of.Sides[0].Command, test.want)
		}
	}
}

// A side that cannot begin in the first launch ends all; one that cannot later is told, and the launch is lost.
func TestLostLaunches(t *testing.T) {
	refused := fault.New(fault.RunFailed, "nobody is there")
	without := func(lost ...int) func(int) *pair.Made {
		return func(at int) *pair.Made {
			m := both(at)
			if slices.Contains(lost, at) {
				m.Docs[1], m.Errs[1] = nil, refused
			}
			return m
		}
	}
	c, _, options := comparisonOf(t, request(t.TempDir()), without(0), nil)
	if err := c.Run(t.Context()); err == nil || err.Error() != "B: nobody is there" || len(*options) != 1 {
		t.Errorf("%v after %d launches", err, len(*options))
	}
	for side := range 2 {
		c, _, _ = comparisonOf(t, request(t.TempDir()), func(int) *pair.Made {
			m := new(pair.Made)
			m.Errs[side], m.Errs[1-side] = refused, fault.New(fault.RunFailed, "%w", pair.ErrOther)
			return m
		}, nil)
		if err := c.Run(t.Context()); err == nil || err.Error() != letter(side)+": nobody is there" {
			t.Errorf("side %d: %v", side, err)
		}
	}
	c, _, options = comparisonOf(t, request(t.TempDir()), without(3, 4), nil)
	err := c.Run(t.Context())
	if l := c.of.Launches[3]; err != nil || len(*options) != 32 || l.Lost != "B: nobody is there" || len(l.Values[0]) != 0 {
		t.Errorf("%v after %d launches: %+v", err, len(*options), c.of.Launches[3])
	}
	if err := c.Outcome(); fault.CodeOf(err) != fault.RunFailed {
		t.Error(err)
	}
	c, _, options = comparisonOf(t, request(t.TempDir()), without(3, 4, 5, 6, 7), nil)
	if err := c.Run(t.Context()); err != nil || len(*options) != 6 {
		t.Errorf("%v after %d launches", err, len(*options))
	}
}

// An interrupt keeps all that was measured; what it cut short is in no row.
func TestComparisonIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	var signal func()
	c, signal, options := comparisonOf(t, request(dir), nil, nil)
	c.launch = func(soft, _ context.Context, _ *run.Env, _ [2]run.Job, o pair.Options) *pair.Made {
		*options = append(*options, o)
		m := both(o.Member.At)
		if o.Member.At == 4 {
			signal()
			<-soft.Done()
			m.Docs[1].Interrupted = true
			m.Errs[1] = fault.New(fault.Interrupted, "interrupted")
		}
		return m
	}
	if err := c.Run(t.Context()); err != nil || len(*options) != 5 {
		t.Fatalf("%v after %d launches", err, len(*options))
	}
	set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
	if err != nil || !set.Interrupted || len(set.Members) != 10 {
		t.Fatalf("%v: %d members", err, len(set.Members))
	}
	if l := set.Comparison.Launches[4]; l.Lost != "B was interrupted" || len(l.Values[0]) != 0 {
		t.Errorf("%+v", l)
	}
	if fault.CodeOf(c.Outcome()) != fault.Interrupted {
		t.Error(c.Outcome())
	}
}

// What cannot be compared is refused before anything starts, and says why.
func TestComparisonRefuses(t *testing.T) {
	env, _ := environment()
	give := func(side int, name, value string) func(*Request) {
		return func(r *Request) {
			r.Sides[side].Given = append(r.Sides[side].Given, several.Given{Name: name, Values: []string{value}})
		}
	}
	for want, edit := range map[string]func(*Request){
		"A is lab and B is tin: both sides must be of the same kind": func(r *Request) { r.Sides[1].Kind.Name = "tin" },
		"A uses the closed model and B the open":                     give(1, "rate", "50"),
		"B: --clients is 101":                                        give(1, "clients", "101"),
		"A: --file: each launch would overwrite x":                   give(0, "file", "x"),
		`--metric: "p98x" is not a metric of lab`:                    func(r *Request) { r.Figures = []string{"p98x"} },
		"--metric: 21 metrics are too many":                          func(r *Request) { r.Figures = manyFigures() },
		"--interleave is slices, but lab cannot":                     func(r *Request) { r.Way = setdoc.BySlices },
		"--slice: lab cannot be paused":                              func(r *Request) { r.Slice = 1 },
		"--slice has no effect with":                                 func(r *Request) { r.Way, r.Slice = setdoc.ByRuns, 1 },
	} {
		r := request(t.TempDir())
		edit(r)
		if _, err := New(env, r); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func manyFigures() (names []string) {
	for i := range 21 {
		names = append(names, fmt.Sprintf("p%d", 10+i))
	}
	return names
}

// Rows are those that were asked for; one that begins with + comes besides those of the kind.
func TestRows(t *testing.T) {
	for figures, want := range map[string]string{
		"":           "rate p50 p90 p99 failed",
		"p99":        "p99",
		"p99 rate":   "p99 rate",
		"+p95":       "rate p50 p90 p99 failed p95",
		"+p99":       "rate p50 p90 p99 failed",
		"p50 +p99.9": "p50 p99.9",
	} {
		k := lab()
		k.Compared = []string{"rate", "p50", "p90", "p99", "failed", "what.the.kind.lacks"}
		r := &Request{Figures: strings.Fields(figures)}
		rows, err := r.rows(&k, "messages")
		var names []string
		for _, one := range rows {
			names = append(names, one.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", figures, got, err, want)
		}
	}
}

// TestGeneratorsCPUIsInformation: what the generator uses makes no side worse, unless that was asked for.
func TestGeneratorsCPUIsInformation(t *testing.T) {
	for figures, judged := range map[string]bool{"": false, "+p95": false, "+cpu_per_operation": true, "cpu_per_operation": true} {
		k := lab()
		rows, err := (&Request{Figures: strings.Fields(figures)}).rows(&k, "messages")
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range rows {
			if info := one.Name == "cpu_per_operation" && !judged; one.Info != info {
				t.Errorf("%q: %s is information: %t", figures, one.Name, one.Info)
			}
		}
	}
	c, _, _ := comparisonOf(t, request(t.TempDir()), func(at int) *pair.Made {
		m := both(at)
		m.Docs[1] = measured(100, 0)
		for side, doc := range m.Docs {
			doc.Generator.CPUUserNS = int64(1e6 * (1 + side))
		}
		return m
	}, contrast.Analyze)
	k := lab()
	if rows, err := (&Request{}).rows(&k, "messages"); err != nil {
		t.Fatal(err)
	} else {
		c.rows, c.of.Figures = rows, compared(rows)
	}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := c.of.Rows[len(c.of.Rows)-1]
	if last.Outcome != setdoc.NotJudged || last.Ratio == nil || *last.Ratio < 1.9 || last.P != nil || len(contrast.Inconclusive(c.of)) == 0 {
		t.Errorf("%+v", last)
	}
	for _, row := range c.of.Rows {
		if row.Outcome == setdoc.Worse {
			t.Errorf("%s is worse", c.of.Figures[row.Figure].Name)
		}
	}
}

// No secret of a command line or a URL is in the document.
func TestNoSecretsInTheDocument(t *testing.T) {
	dir := t.TempDir()
	r := request(dir)
	for side := range r.Sides {
		r.Sides[side].Given = []several.Given{{Name: "header", Values: []string{"Authorization: hunter2"}}}
	}
	r.Both = []several.Given{{Name: "clients", Values: []string{"3"}}}
	c, _, _ := comparisonOf(t, r, both, nil)
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, saved.SetFile))
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%v\n%s", err, text)
	}
	const want = `plimsoll lab 'x://h/?key=…' --header 'Authorization: …' --clients 3`
	if got := c.of.Sides[1].Command; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
