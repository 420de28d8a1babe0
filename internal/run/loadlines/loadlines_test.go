package loadlines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lab is a kind of traffic whose runs take no time, against a server of so many workers.
type lab struct {
	workers float64 // each of 100 a second
	made    []command
	fail    map[int]error // of the run at a place, which measures nothing
	late    bool          // the generator is what is slow
	real    bool          // a run takes its time
	noise   float64       // of what it bears, a standard deviation
	broken  int           // from this run on, counted from 1, nothing ends ok; 0: everything does
	cause   string        // why; "": refused
	soft    func(at int, ctx context.Context)
}

// command is one call of its command.
type command struct {
	lab      *lab
	rate     float64
	clients  int
	rooms    int
	seed     uint64
	duration time.Duration
	warmup   time.Duration
	messages int
	file     string
	goals    []string
}

func (c *command) Settings() *setting.Set {
	return setting.New(
		setting.Rate(&c.rate, "rate", "").SaysLoad().At("load.rate_per_s").OmitZero().Rule(func(flag string) error {
			if c.rate > 5e5 {
				return fault.New(fault.Usage, "%s is too much", flag)
			}
			return nil
		}),
		setting.Count(&c.clients, "clients", "count", "").Between(1, 1000).SaysConcurrency(),
		setting.Count(&c.rooms, "rooms", "count", ""),
		setting.Count(&c.seed, "seed", "number", ""),
		setting.Duration(&c.duration, "duration", ""),
		setting.Duration(&c.warmup, "warmup-time", ""),
		setting.Count(&c.messages, "messages", "count", ""),
		setting.Text(&c.file, "file", "file", ""),
		setting.List(&c.goals, "threshold", "goal", ""),
	)
}

func (c *command) Resolve([]string, func(string) bool) error { return c.Settings().Check() }

func (c *command) Run(context.Context, *run.Env) error { return errors.New("a search makes jobs") }

func (c *command) Job(*run.Env) (run.Job, error) {
	return run.Job{
		Workload: "lab", Operations: "messages", Work: c,
		Files: []run.File{{Flag: "file", What: "rows", Path: c.file}},
	}, nil
}

// Measure has an operation take 10 ms, and a queue before the workers grow for as long as the run lasts.
//
// synctest: it sleeps only for searches inside a bubble.
func (c *command) Measure(soft, _ context.Context, _ *run.Run) (*run.Found, error) {
	at := len(c.lab.made)
	c.lab.made = append(c.lab.made, *c)
	if c.lab.soft != nil {
		c.lab.soft(at, soft)
	}
	if err := c.lab.fail[at]; err != nil {
		return nil, err
	}
	offered, seconds := c.rate, c.duration.Seconds()
	if c.lab.real {
		time.Sleep(c.warmup + c.duration)
	}
	bears := 100 * c.lab.workers * math.Exp(c.lab.noise*rand.New(rand.NewPCG(c.seed, 1)).NormFloat64())
	if offered == 0 { // the closed model: no queue, but each waits for the others
		offered = min(100*float64(c.clients), bears)
	}
	n := int64(offered * seconds)
	slowest := 10e6 + max(0, c.rate/bears-1)*seconds*1e9
	if c.rate == 0 {
		slowest = 10e6 * max(1, float64(c.clients)/c.lab.workers)
	}
	times := timesOf(n, int64(slowest))
	if c.lab.late {
		free := timesOf(n, 10e6)
		times, times.Free = timesOf(n, 900e6), &free
	}
	send := rundoc.Operation{Name: "send", Scheduled: n, OK: n, ResponseTime: times}
	if broken := c.lab.broken; broken > 0 && at >= broken-1 {
		send = rundoc.Operation{Name: "send", Scheduled: n, Failed: n, Causes: []rundoc.Cause{{Cause: cmp.Or(c.lab.cause, "refused"), Count: n}}}
	}
	doc := &rundoc.Run{
		Interrupted: soft.Err() != nil,
		Ledger:      rundoc.Ledger{Clients: max(1, c.clients), WindowNS: int64(c.duration)},
		Operations:  []rundoc.Operation{send},
	}
	return &run.Found{Doc: doc, Plan: c.Settings()}, nil
}

func timesOf(n, ns int64) rundoc.Summary {
	h := hdrhistogram.New(1, 1e13, 3)
	_ = h.RecordValues(ns, n) // within its bounds
	return rundoc.Summarize(h, rundoc.Exact{Min: ns, Max: ns, Sum: n * ns})
}

func (c *command) Conclude(*rundoc.Run) run.Conclusion { return run.Conclusion{} }

// request is a search over its rate.
func (l *lab) request(dir string) *Request {
	return &Request{
		Kind: run.Kind{
			Name: "lab", New: func() run.Command { return &command{lab: l} }, Report: report.Kind{},
			AmongMany: []run.Preset{{Setting: "duration", Value: "5s"}, {Setting: "warmup-time", Value: "1s"}},
		},
		SLO: []string{"p99<50ms,failed<0.1%"}, Within: DefaultWithin, Longest: DefaultMaxProbe, Seed: 40,
		Forms: run.Forms{Out: dir, Quiet: true},
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

func searchOf(t *testing.T, r *Request) (*Search, func()) {
	t.Helper()
	env, signal := environment()
	s, err := New(env, r)
	if err != nil {
		t.Fatal(err)
	}
	return s, signal
}

// The load line of a server is found, each probe as long as its operations take, with a seed and a short warm-up of its
// own, and the set has all of it.
func TestSearchForARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dir := &lab{workers: 43}, t.TempDir()
		s, _ := searchOf(t, l.request(dir))
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Outcome(); err != nil && fault.CodeOf(err) != fault.Untrusted { // the lab keeps no laws
			t.Error(err)
		}
		set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
		if err != nil {
			t.Fatal(err)
		}
		line := set.Loadline
		if line.Ending != setdoc.LineFound || line.Range[0] > 4400 || line.Range[1] < 4300 {
			t.Errorf("%s: %v", line.Ending, line.Range)
		}
		if wrong := loadline.Reread(set); len(wrong) > 0 || len(set.Members) != len(line.Probes) || set.Planned != len(set.Members) {
			t.Errorf("%d members of %d, %d probes: %q", len(set.Members), set.Planned, len(line.Probes), wrong)
		}
		first := l.made[0]
		if first.rate != 1000 || first.duration != 7200*time.Millisecond || first.clients != 64 || first.warmup != 300*time.Millisecond ||
			first.seed != 40 || l.made[1].seed != 41 || l.made[1].duration != 3600*time.Millisecond ||
			strings.Join(first.goals, " ") != "p99<50ms failed<0.1%" {
			t.Errorf("the first is %+v, the second %+v", first, l.made[1])
		}
		if line.SLO[1].Unit != "share" || line.SLO[1].Limit != 0.001 || line.Unit != "messages/s" || line.Lowest < 18 || line.Lowest > 19 ||
			line.Highest != 1e5 {
			t.Errorf("%+v", line)
		}
	})
}

// Of clients the loads are whole numbers, and a probe lasts as long as the operations take that the one before had.
func TestSearchForClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lab{workers: 20}
		r := l.request(t.TempDir())
		r.Vary, r.SLO = "clients", []string{"p99<20ms"}
		s, _ := searchOf(t, r)
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		line := s.Doc.Loadline
		if line.Ending != setdoc.LineFound || line.Range[0] > 40 || line.Range[1] < 39 || line.Unit != "clients" || !line.Whole {
			t.Errorf("%s: %v %s", line.Ending, line.Range, line.Unit)
		}
		for i, want := range []time.Duration{3 * time.Second, time.Minute, 36 * time.Second} {
			if got := l.made[i].duration; got != want {
				t.Errorf("probe %d with %d clients lasts %v, want %v", i+1, l.made[i].clients, got, want)
			}
		}
	})
}

// How a search ends that finds no load line, with its exit status and what is said.
func TestSearchEnds(t *testing.T) {
	refused := fault.New(fault.RunFailed, "nobody is there")
	for _, tt := range []struct {
		name   string
		lab    lab
		edit   func(*Request)
		ending string
		made   int
		code   fault.Code
		says   string
	}{
		{"below", lab{workers: 0.1}, nil, setdoc.LineBelow, 0, fault.Missed,
			"The SLO is not met at 18.8 messages/s, the lowest load tried: p99<50ms was missed"},
		{"above", lab{workers: 43}, func(r *Request) { r.Highest = 3000 }, setdoc.LineAbove, 0, fault.OK, ""},
		{"generator", lab{workers: 43, late: true}, nil, setdoc.LineGenerator, 3, fault.Untrusted,
			"At 1,000 messages/s the load generator or its machine was the limit, not the target, in 3 probes in a row: p99<50ms"},
		{"a target that is not there", lab{broken: 1}, nil, setdoc.LineCutShort, 2, fault.RunFailed,
			"The search was stopped, because no operation succeeded in two probes in a row: p99<50ms cannot be evaluated: 7,200"},
		{"a target that dies", lab{workers: 43, broken: 4}, nil, setdoc.LineCutShort, 0, fault.RunFailed,
			"The search was stopped, because no operation succeeded in two probes in a row"},
		{"a probe that fails outright", lab{workers: 43, fail: map[int]error{2: refused, 3: refused}}, nil, setdoc.LineCutShort, 4,
			fault.RunFailed, "nobody is there"},
		{"a probe that cannot begin at first", lab{workers: 43, fail: map[int]error{2: refused}}, nil, setdoc.LineFound, 0, fault.OK, ""},
		{"too few, however long", lab{workers: 43}, func(r *Request) {
			r.Vary, r.SLO = "clients", []string{"p99.99<20ms"}
		}, setdoc.LineCutShort, 2, fault.Untrusted, "the SLO cannot be evaluated at 1 client, even by longer probes"},
		{"none, however long", lab{workers: 43}, func(r *Request) { r.SLO = []string{"connect.p50<20ms"} }, setdoc.LineCutShort, 4,
			fault.Untrusted, "the SLO cannot be evaluated at 1,000 messages/s, even by longer probes: connect.p50<20ms"},
		{"what the run does not have", lab{workers: 43}, func(r *Request) { r.SLO = []string{"cpu_per_operation<1s"} },
			setdoc.LineCutShort, 2, fault.Untrusted, "the SLO cannot be evaluated at 1,000 messages/s: cpu_per_operation<1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := tt.lab
				r := l.request(t.TempDir())
				if tt.edit != nil {
					tt.edit(r)
				}
				s, _ := searchOf(t, r)
				if err := s.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := s.Doc.Loadline.Ending; got != tt.ending || tt.made > 0 && len(l.made) != tt.made {
					t.Errorf("%s after %d runs", got, len(l.made))
				}
				s.Doc.Verdict.Validity = rundoc.Valid // the lab keeps no laws
				err := s.Outcome()
				if fault.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Errorf("exit status %d: %v", fault.CodeOf(err), err)
				}
			})
		})
	}
	r := (&lab{workers: 0.1}).request(t.TempDir())
	invalid, _ := searchOf(t, r)
	if err := invalid.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	invalid.Doc.Verdict = rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"9 of 9 probes: invalid."}}
	if err := invalid.Outcome(); fault.CodeOf(err) != fault.Untrusted ||
		!strings.Contains(err.Error(), "at 18.8 messages/s, the lowest load, but the probes cannot be trusted: 9 of 9") {
		t.Errorf("below, of probes that are invalid: %v", err)
	}
	l := &lab{fail: map[int]error{0: refused}}
	s, _ := searchOf(t, l.request(t.TempDir()))
	if err := s.Run(t.Context()); !errors.Is(err, refused) || len(l.made) != 1 {
		t.Errorf("%v after %d runs", err, len(l.made))
	}
}

// An interrupt ends the probe that goes on, which is a member and tells nothing; what was probed is kept.
func TestSearchIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dir := &lab{workers: 43}, t.TempDir()
		s, signal := searchOf(t, l.request(dir))
		l.soft = func(at int, ctx context.Context) {
			if at == 3 {
				signal()
				<-ctx.Done() // it was heard
			}
		}
		if err := s.Run(t.Context()); err != nil || len(l.made) != 4 {
			t.Fatalf("%v after %d runs", err, len(l.made))
		}
		const says = "interrupted: the results so far are saved (4 runs)"
		if err := s.Outcome(); fault.CodeOf(err) != fault.Interrupted || err.Error() != says {
			t.Error(err)
		}
		set, err := setdoc.ReadFile(filepath.Join(dir, saved.SetFile))
		if err != nil || len(set.Members) != 4 || len(set.Loadline.Probes) != 3 || !set.Interrupted ||
			set.Loadline.Ending != setdoc.LineCutShort {
			t.Errorf("%v: %+v", err, set)
		}
		if wrong := loadline.Reread(set); len(wrong) > 0 {
			t.Error(wrong)
		}
	})
}

// What cannot be searched for is refused before the first probe, in words that say what to do.
func TestSearchRefuses(t *testing.T) {
	env, _ := environment()
	given := func(name, value string) func(*Request) {
		return func(r *Request) { r.Given = append(r.Given, several.Given{Name: name, Values: []string{value}}) }
	}
	for _, tt := range []struct {
		edit       func(*Request)
		says, hint string
	}{
		{func(r *Request) { r.SLO = nil }, "loadline needs an SLO", "--slo 'p99<50ms,failed<0.1%'"},
		{func(r *Request) { r.SLO = []string{"p99<50ms,,"} }, `--slo "": it is empty`, ""},
		{func(r *Request) { r.SLO = []string{"p99=50ms"} }, `--slo "p99=50ms": "=" is not a comparison`, ""},
		{func(r *Request) { r.SLO = []string{"p99<50"} }, `--slo "p99<50": "50" has no unit`, ""},
		{func(r *Request) { r.SLO = []string{"visibility.p99<50ms"} }, `--slo "visibility.p99<50ms": `, ""},
		{func(r *Request) { r.SLO = []string{"failed<1%,p99>=50ms"} }, `--slo "p99>=50ms": times grow with the load`,
			"p99<=50ms"},
		{func(r *Request) { r.Vary = "rooms" }, "--vary rooms: it does not control the load",
			"set --vary to one of rate, clients"},
		{func(r *Request) { r.Vary = "client" }, `--vary: lab has no setting "client"`, "did you mean clients?"},
		{given("rate", "50"), "--rate cannot be set: loadline searches for it", "--start sets"},
		{given("duration", "5s"), "--duration: the search sets the length of each probe", "remove it"},
		{given("messages", "50"), "--messages: the search sets the length", "remove it"},
		{given("until", "p99±5%"), "--until: the search sets the length", "remove it"},
		{given("until-most", "5m"), "--until-most: the search sets the length", "remove it"},
		{given("strict", "true"), "--strict: the confidence interval of the result covers", "remove it"},
		{given("launches", "3"), "--launches: it does not make a single run", "remove it"},
		{given("recorded-times", "true"), "--recorded-times: the search sets the load", "remove it"},
		{given("threshold", "p99<1s"), "--threshold: the condition is set by --slo", "remove it"},
		{given("file", "x.csv"), "--file: each probe would overwrite x.csv", "plimsoll report"},
		{func(r *Request) { r.Lowest = 5 }, "--lowest is 5: a probe of 1m0s then has about 300 operations, and p99 needs 1,127",
			"the lowest measurable load is 18.8/s in a probe of 1m0s"},
		{func(r *Request) {
			r.Vary, r.Given = "clients", []several.Given{{Name: "rate", Values: []string{"1"}}}
		}, "--rate is 1: a probe of 1m0s then has about 60 operations, and p99 needs 1,127", "the lowest measurable load is 18.8/s"},
		{func(r *Request) { r.SLO, r.Start = []string{"p99.9<1s"}, 100 }, "--start is 100: a probe of 1m0s then has about 6,000 operations",
			"the lowest measurable load is 173/s"},
		{func(r *Request) { r.Within = 0.01 }, "--within is 1%: it must be from 2% to 50%", ""},
		{func(r *Request) { r.Within = 0.9 }, "--within is 90%: it must be from 2% to 50%", ""},
		{func(r *Request) { r.MaxTime = time.Second }, "--max-time is 1s: it must be from 5s to 24h0m0s", ""},
		{func(r *Request) { r.MaxTime = 30 * time.Second }, "--max-time is 30s, shorter than a probe of 1m0s", "reduce --max-probe"},
		{func(r *Request) { r.Lowest, r.Highest = 200, 100 }, "--lowest is 200, above --highest, which is 100", ""},
		{func(r *Request) { r.Lowest, r.Highest = 100, 10 }, "--lowest is 100, above --highest, which is 10", ""},
		{func(r *Request) { r.Start, r.Lowest = 100, 200 }, "--start is 100, below --lowest, which is 200", ""},
		{func(r *Request) { r.Start, r.Highest = 300, 200 }, "--start is 300, above --highest, which is 200", ""},
		{func(r *Request) { r.Vary, r.Start = "clients", 1.5 }, "clients must be a whole number, not 1.5", ""},
		{func(r *Request) { r.Highest = 1e6 }, "--rate is too much", ""},
	} {
		l := &lab{}
		r := l.request(t.TempDir())
		tt.edit(r)
		_, err := New(env, r)
		if err == nil || !strings.HasPrefix(err.Error(), tt.says) || !strings.Contains(fault.HintOf(err), tt.hint) || len(l.made) > 0 {
			t.Errorf("%v (%s) after %d runs, want %q (%s)", err, fault.HintOf(err), len(l.made), tt.says, tt.hint)
		}
	}
	without := func(names ...string) *Request {
		r := (&lab{}).request(t.TempDir())
		r.Kind.New = func() run.Command { return &fewer{command{}, names} }
		return r
	}
	for want, r := range map[string]*Request{
		"lab has no --rate to search for":   without("rate"),
		"lab has no load setting":           without("rate", "clients"),
		"lab has no setting for the length": without("duration"),
	} {
		if _, err := New(env, r); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// fewer is a command without some of its settings.
type fewer struct {
	command
	lacks []string
}

func (c *fewer) Settings() *setting.Set {
	s := new(setting.Set)
	for _, one := range c.command.Settings().All() {
		if !strings.Contains(fmt.Sprint(c.lacks), one.Name) {
			s.Group("", one)
		}
	}
	return s
}

// TestSearchKeepsToItsTime: it ends before --max-time is over, whatever the target is, says what it has found by then, and
// plans its probes by the time.
func TestSearchKeepsToItsTime(t *testing.T) {
	for _, tt := range []struct {
		name    string
		lab     lab
		edit    func(*Request)
		endings []string
		says    string // "": the load line was found
		hint    string
		longest time.Duration
	}{
		{"precise", lab{workers: 4.3, noise: 0.01}, nil, []string{setdoc.LineFound}, "", "", 8500 * time.Millisecond},
		{"a target that is never the same", lab{workers: 4.3, noise: 0.3}, nil, []string{setdoc.LineTimeUp, setdoc.LineWide},
			"was reached: the result is known to within ", "or accept less precision: --within ", 8500 * time.Millisecond},
		{"a slow one", lab{workers: 0.3}, nil, []string{setdoc.LineTimeUp, setdoc.LineFound, setdoc.LineWide}, "was reached", "--max-time", time.Minute},
		{"no time", lab{workers: 1000}, func(r *Request) { r.MaxTime = 9 * time.Second }, []string{setdoc.LineTimeUp},
			"The time limit of 9s was reached: no load was found that meets the SLO", "increase --max-time", 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := tt.lab
				l.real = true
				r := l.request(t.TempDir())
				r.Longest, r.MaxTime = 0, DefaultMaxTime
				if tt.edit != nil {
					tt.edit(r)
				}
				s, _ := searchOf(t, r)
				began := time.Now()
				if err := s.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > r.MaxTime {
					t.Errorf("it took %v", took)
				}
				line := s.Doc.Loadline
				if !slices.Contains(tt.endings, line.Ending) || line.MaxTimeNS != int64(r.MaxTime) {
					t.Errorf("%s after %d probes: %s", line.Ending, len(line.Probes), line.Why)
				}
				for _, made := range l.made {
					if made.duration > tt.longest+time.Millisecond {
						t.Errorf("a probe of %v at %v/s", made.duration, made.rate)
					}
				}
				if wrong := loadline.Reread(&s.Doc); len(wrong) > 0 {
					t.Error(wrong)
				}
				s.Doc.Verdict.Validity = rundoc.Valid // the lab keeps no laws
				err := s.Outcome()
				if found := line.Ending == setdoc.LineFound; found != (err == nil) || !found && (fault.CodeOf(err) != fault.Untrusted ||
					!strings.Contains(err.Error(), tt.says) || !strings.Contains(fault.HintOf(err), tt.hint)) {
					t.Errorf("exit status %d: %v (%s)", fault.CodeOf(err), err, fault.HintOf(err))
				}
			})
		})
	}
}

// TestSearchSaysWhatItWillDo: how many probes of which length in which time, and after each how much time is left.
func TestSearchSaysWhatItWillDo(t *testing.T) {
	var said strings.Builder
	env, _ := environment()
	env.Stderr = &said
	r := (&lab{workers: 43, noise: 0.02}).request(t.TempDir())
	r.Longest, r.MaxTime, r.Within, r.Forms.Quiet = 0, DefaultMaxTime, 0.1, false
	s, err := New(env, r)
	if err != nil {
		t.Fatal(err)
	}
	const plan = "searching for the highest load that meets p99<50ms,failed<0.1%, to within 10%: about 12 probes of 1s to 8.5s, starting at 1,000 messages/s, " +
		"at most 3m0s in total (--seed 40)"
	if got := s.Announce(); got != plan {
		t.Errorf("%s, want %s", got, plan)
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	for i, line := range lines {
		if strings.Contains(line, " left") == (i == len(lines)-1) {
			t.Errorf("%d of %d: %s", i+1, len(lines), line)
		}
	}
}

// TestSearchOutOfFiles: what the generator lacks is no limit of the target, and the hint says what it is.
func TestSearchOutOfFiles(t *testing.T) {
	for cause, hint := range map[string]string{"too-many-files": "raise the limit on open files (ulimit -n)", "no-local-port": "reduce --clients"} {
		l := &lab{workers: 43, broken: 1, cause: cause}
		s, _ := searchOf(t, l.request(t.TempDir()))
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := s.Outcome()
		if s.Doc.Loadline.Ending != setdoc.LineGenerator || fault.CodeOf(err) != fault.Untrusted || !strings.Contains(err.Error(), cause) ||
			!strings.HasPrefix(fault.HintOf(err), hint) {
			t.Errorf("%s: %v (%s)", s.Doc.Loadline.Ending, err, fault.HintOf(err))
		}
	}
}
