package loadlines

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/search"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What a search takes for what nobody gave.
const (
	DefaultVary     = "rate"
	DefaultWithin   = 0.1
	DefaultMaxTime  = 3 * time.Minute
	DefaultMaxProbe = time.Minute // and a third of the time that the search may last
	// Most is how many probes a search makes behind the doubling.
	Most = 60

	startRate     = 1000
	highestLoad   = 1e6
	minProbe      = time.Second
	manyClients   = "64"    // of an open model, so that the bound on what is under way is not what limits it
	warmup        = "300ms" // of each probe
	closedAtFirst = 3 * time.Second

	// Below minWithin the cells of the search's grid are as wide; with maxWithin two loads of which one is the double of
	// the other cannot be told apart.
	minWithin, maxWithin = 0.02, 0.5
	minTime, maxTime     = 5 * time.Second, 24 * time.Hour

	// plannedProbes is how many probes the time that a search may last is divided into. Where 9 s are enough for a probe,
	// ±10% are known after 12 to 25 of them on most servers.
	plannedProbes = 20
	// between is what passes between two probes at least, beside the warm-up.
	between = 200 * time.Millisecond
)

// Request is what a search is to do.
type Request struct {
	Kind    run.Kind
	Args    []string // of the kind's command
	Given   []several.Given
	SLO     []string // as they were given, each with one goal or several
	Vary    string   // "": the rate
	Start   float64  // 0: as DefaultStart
	Lowest  float64  // 0: the lowest that can be told
	Highest float64  // 0: the highest that the kind takes
	Within  float64
	MaxTime time.Duration // of the whole search; 0: any
	// Shortest and Longest are what a probe lasts at least and at most. Shortest 0: a second; Longest 0: a third of
	// MaxTime, and a minute at most.
	Shortest, Longest time.Duration
	Seed              uint64
	Presets           []run.Preset // what a probe takes for settings that nobody gave, before what runs of many take
	Forms             run.Forms    // of the set

	goals []threshold.Threshold
	whole bool
	rate  float64 // that was given, where another setting is varied; 0: none
}

// check reads what was given, and refuses what makes no search.
func (r *Request) check() error {
	r.Shortest = cmp.Or(r.Shortest, minProbe)
	if err := r.limits(); err != nil {
		return err
	}
	known := r.Kind.Report.Known(r.Kind.Name)
	var texts []string
	for _, text := range r.SLO {
		texts = append(texts, threshold.Split(text)...)
	}
	if len(texts) == 0 {
		return fault.New(fault.Usage, "loadline needs an SLO").
			Hint("for example: --slo 'p99<50ms,failed<0.1%%'")
	}
	seen := map[string]bool{}
	for _, text := range texts {
		goal, err := threshold.Parse(text, known)
		if err != nil {
			return fault.New(fault.Usage, "--slo %.80q: %w", text, err).Hint("%s", fault.HintOf(err))
		}
		if goal.Figure().Times() != "" && goal.Op()[0] == '>' {
			return fault.New(fault.Usage, "--slo %.80q: times grow with the load, so a lower limit is met by any higher load",
				text).Hint("set an upper limit: %s", strings.Replace(goal.Expr(), ">", "<", 1))
		}
		if !seen[goal.Expr()] {
			r.goals = append(r.goals, goal)
		}
		seen[goal.Expr()] = true
	}
	if err := r.load(); err != nil {
		return err
	}
	for _, g := range r.Given {
		if why := whyUnfit(g.Name); why != "" {
			return fault.New(fault.Usage, "--%s: %s", g.Name, why).Hint("remove it")
		}
		if g.Name == r.Vary {
			return fault.New(fault.Usage, "--%s cannot be set: loadline searches for it", g.Name).
				Hint("--start sets the first load to try; --vary searches for another setting")
		}
		if g.Name == DefaultVary && len(g.Values) == 1 {
			r.rate, _ = strconv.ParseFloat(g.Values[0], 64) // the setting itself says what is wrong with it
		}
	}
	return r.bounds()
}

// load finds the setting that says the load.
func (r *Request) load() error {
	settings := r.Kind.New().Settings()
	var loads []string
	for _, one := range settings.All() {
		if one.Name != "" && one.Load {
			loads = append(loads, one.Name)
		}
	}
	hint := "set --vary to one of " + strings.Join(loads, ", ")
	if len(loads) == 0 {
		return fault.New(fault.Usage, "%s has no load setting to search for", r.Kind.Name)
	}
	name := r.Vary
	if r.Vary = strings.TrimLeft(strings.TrimSpace(name), "-"); r.Vary == "" {
		r.Vary = DefaultVary
	}
	one := settings.Lookup(r.Vary)
	if one != nil {
		r.Vary = one.Name
	}
	switch {
	case one == nil && name == "":
		return fault.New(fault.Usage, "%s has no --rate to search for", r.Kind.Name).Hint("%s", hint)
	case one == nil:
		e := fault.New(fault.Usage, "--vary: %s has no setting %.80q", r.Kind.Name, r.Vary)
		if near := fault.Nearest(r.Vary, loads); near != "" {
			return e.Hint("did you mean %s?", near)
		}
		return e.Hint("%s", hint)
	case !one.Load:
		return fault.New(fault.Usage, "--vary %s: it does not control the load", r.Vary).Hint("%s", hint)
	}
	if lengthOf(settings) == "" {
		return fault.New(fault.Usage, "%s has no setting for the length of a run, which probes need", r.Kind.Name)
	}
	r.whole = one.Whole()
	return nil
}

// limits checks how precise the load line is to be, and how long the search and its probes may last.
func (r *Request) limits() error {
	switch {
	case !(r.Within >= minWithin && r.Within <= maxWithin):
		return fault.New(fault.Usage, "--within is %s: it must be from %s to %s", units.Percent3(r.Within),
			units.Percent3(minWithin), units.Percent3(maxWithin))
	case r.MaxTime != 0 && (r.MaxTime < minTime || r.MaxTime > maxTime):
		return fault.New(fault.Usage, "--max-time is %v: it must be from %v to %v", r.MaxTime, minTime, maxTime)
	case r.MaxTime > 0 && r.Longest > r.MaxTime:
		return fault.New(fault.Usage, "--max-time is %v, shorter than a probe of %v", r.MaxTime, r.Longest).
			Hint("increase --max-time, or reduce --max-probe")
	case r.Longest == 0 && r.MaxTime == 0:
		r.Longest = DefaultMaxProbe
	case r.Longest == 0:
		r.Longest = max(min(DefaultMaxProbe, r.MaxTime/3), r.Shortest)
	}
	return nil
}

// lengthOf returns the name of the setting for the length of a run, or "".
func lengthOf(settings *setting.Set) string {
	const name = "duration"
	if settings.Lookup(name) == nil {
		return ""
	}
	return name
}

// whyUnfit says why a setting makes no sense in all probes, or "".
func whyUnfit(name string) string {
	switch name {
	case "duration", "stages", "count", "messages", "calls", "iterations", "from", "until", "until-most":
		return "the search sets the length of each probe; --max-probe limits it"
	case "recorded-times":
		return "the search sets the load"
	case "threshold":
		return "the condition is set by --slo"
	case "abort-on-miss":
		return "a probe always runs to its end"
	case "strict":
		return "the confidence interval of the result covers the uncertainty"
	case "max", "grid", "verify", "inspect", "repeat", "launches":
		return "it does not make a single run"
	}
	return ""
}

// lengths are those of the probes of these goals.
func (r *Request) lengths() search.Lengths {
	l := search.Lengths{Most: r.Longest}
	if r.MaxTime > 0 {
		l.Enough = max(r.MaxTime/plannedProbes-r.overhead(), r.Shortest)
	}
	for _, g := range r.goals {
		l.Needs = max(l.Needs, g.Figure().Needs())
	}
	return l
}

// overhead is what a probe takes beside its length, before any was made.
func (r *Request) overhead() time.Duration {
	warm, _ := time.ParseDuration(warmup) // which is one
	return warm + between
}

// highest is the percentile that needs most.
func (r *Request) highest() string {
	name, most := "", int64(0)
	for _, g := range r.goals {
		if n := g.Figure().Needs(); n > most {
			name, most = g.Figure().String(), n
		}
	}
	return name
}

// givenLoad is a rate that was given by a flag; 0: it was not.
type givenLoad struct {
	flag string
	load float64
}

// bounds fills in where the search begins and ends, and refuses loads at which a probe cannot tell the SLO.
func (r *Request) bounds() error {
	if r.Highest > 0 && r.Lowest > r.Highest { // before what else is wrong with them
		return fault.New(fault.Usage, "--lowest is %s, above --highest, which is %s",
			units.Digits(r.Lowest), units.Digits(r.Highest))
	}
	lowest, told := 1.0, r.lengths().Lowest()
	given := []givenLoad{{DefaultVary, r.rate}}
	if r.Vary == DefaultVary {
		lowest = max(1, math.Ceil(1000*told)/1000)
		given = []givenLoad{{"lowest", r.Lowest}, {"start", r.Start}, {"highest", r.Highest}}
	}
	for _, g := range given {
		if g.load > 0 && g.load < told {
			return fault.New(fault.Usage, "--%s is %s: a probe of %v then has about %s operations, and %s needs %s",
				g.flag, units.Digits(g.load), r.Longest, units.Number(int64(g.load*r.Longest.Seconds())),
				r.highest(), units.Number(int64(math.Ceil(told*r.Longest.Seconds())))).
				Hint("the lowest measurable load is %s/s in a probe of %v; increase --%s, --max-probe or --max-time, or "+
					"use a lower percentile", units.PerSecond(max(1, math.Ceil(1000*told)/1000)), r.Longest, g.flag)
		}
	}
	if r.Lowest == 0 {
		r.Lowest = lowest
		if r.Highest > 0 {
			r.Lowest = min(lowest, r.Highest)
		}
	}
	if r.Start == 0 {
		r.Start = max(r.Lowest, r.defaultStart())
		if r.Highest > 0 {
			r.Start = min(r.Start, r.Highest)
		}
	}
	switch {
	case r.Start < r.Lowest:
		return fault.New(fault.Usage, "--start is %s, below --lowest, which is %s", units.Digits(r.Start),
			units.Digits(r.Lowest))
	case r.Highest > 0 && r.Start > r.Highest:
		return fault.New(fault.Usage, "--start is %s, above --highest, which is %s", units.Digits(r.Start),
			units.Digits(r.Highest))
	}
	for _, load := range []float64{r.Start, r.Lowest, r.Highest} {
		if r.whole && load != math.Trunc(load) {
			return fault.New(fault.Usage, "%s must be a whole number, not %s", r.Vary, units.Digits(load))
		}
	}
	return nil
}

// defaultStart is where a search begins: at the kind's own rate, or at one whose probe takes some seconds.
func (r *Request) defaultStart() float64 {
	if r.Vary != DefaultVary {
		return 1
	}
	own, err := strconv.ParseFloat(r.Kind.New().Settings().Lookup(r.Vary).String(), 64)
	if err != nil || own <= 0 {
		return startRate
	}
	return own
}

// command is that of one probe: what was given, the load, its length, and for what nobody said what a run takes that is
// one of many. Each has a seed of its own.
func (r *Request) command(load float64, length time.Duration, at int) (run.Command, error) {
	settings := r.Kind.New().Settings()
	more := []several.Given{{Name: r.Vary, Values: []string{text(load)}},
		{Name: lengthOf(settings), Values: []string{length.String()}}}
	if settings.Lookup("threshold") != nil { // so that the report of a probe says what became of the SLO
		goals := several.Given{Name: "threshold"}
		for _, g := range r.goals {
			goals.Values = append(goals.Values, g.Expr())
		}
		more = append(more, goals)
	}
	var presets []run.Preset
	for _, p := range slices.Concat([]run.Preset{
		{Setting: "seed", Value: strconv.FormatUint(r.Seed+uint64(at), 10)},
		{Setting: "clients", Value: manyClients, Unless: r.notRate()},
		{Setting: "quiet", Value: strconv.FormatBool(r.Forms.Quiet)},
	}, r.Presets, r.Kind.AmongMany) {
		if p.Setting == "warmup-time" {
			p.Value = warmup
		}
		if settings.Lookup(p.Setting) != nil {
			presets = append(presets, p)
		}
	}
	call := several.Call{Kind: r.Kind, Args: r.Args, Given: r.Given}
	return call.Command(presets, more...)
}

// notRate is the setting that is varied, unless that is the rate.
func (r *Request) notRate() []string {
	if r.Vary == DefaultVary {
		return nil
	}
	return []string{r.Vary}
}

// text is a load as a flag has it.
func text(load float64) string { return strconv.FormatFloat(load, 'f', -1, 64) }

// job is that of a probe, with its plan. It starts nothing.
func (r *Request) job(env *run.Env, load float64, length time.Duration, at int) (job run.Job, plan json.RawMessage,
	err error) {
	c, err := r.command(load, length, at)
	if err != nil {
		return job, nil, err
	}
	if job, err = c.Job(env); err != nil {
		return job, nil, err
	}
	if plan, err = json.Marshal(c.Settings()); err != nil {
		return job, nil, fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	for _, f := range job.Files {
		if f.Path != "" {
			return job, nil, fault.New(fault.Usage, "--%s: each probe would overwrite %s", f.Flag, f.Path).
				Hint("remove it; 'plimsoll report' can write the file for a saved run")
		}
	}
	return job, plan, nil
}

// resolve checks the commands of the first, the lowest and the highest load, before anything starts.
func (r *Request) resolve(env *run.Env) (first run.Job, plan json.RawMessage, err error) {
	if err := r.check(); err != nil {
		return first, nil, err
	}
	if first, plan, err = r.job(env, r.Start, r.Shortest, 0); err != nil {
		return first, nil, err
	}
	if _, _, err := r.job(env, r.Lowest, r.Shortest, 0); err != nil {
		return first, nil, err
	}
	if r.Highest > 0 {
		_, _, err := r.job(env, r.Highest, r.Shortest, 0)
		return first, plan, err
	}
	for r.Highest = highestLoad; r.Highest > r.Start; r.Highest /= 10 { // down to one that the kind takes
		if _, _, err := r.job(env, r.Highest, r.Shortest, 0); err == nil {
			return first, plan, nil
		}
	}
	r.Highest = r.Start
	return first, plan, nil
}

// slo are the goals in a line.
func (r *Request) slo() string {
	var all []string
	for _, g := range r.goals {
		all = append(all, g.Expr())
	}
	return strings.Join(all, ",")
}

// asked is the search as the set document has it.
func (r *Request) asked(job run.Job) setdoc.Loadline {
	l := setdoc.Loadline{
		Workload: r.Kind.Name, Vary: r.Vary, Unit: r.Vary, Start: r.Start, Lowest: r.Lowest, Highest: r.Highest,
		Whole: r.whole, Within: r.Within, Most: Most, LongestNS: int64(r.Longest), MaxTimeNS: int64(r.MaxTime),
	}
	switch {
	case r.Vary == DefaultVary:
		l.Unit = job.Operations + "/s"
	case !r.whole:
		l.Unit = r.Vary + "/s"
	}
	for _, g := range r.goals {
		l.SLO = append(l.SLO, setdoc.Goal{
			Expr: g.Expr(), Figure: g.Figure().String(), Unit: string(g.Figure().Unit()), Limit: g.Limit(),
		})
	}
	return l
}
