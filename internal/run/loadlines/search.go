package loadlines

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Search is a search that goes on.
type Search struct {
	*several.Set
	request *Request
	env     *run.Env
	search  *loadline.Search
	longer  int  // how often a probe of the load that is tried was too short to tell
	few     bool // the last probe had too few times for the SLO
	began   time.Time
	between time.Duration // what the last probe took beside its length
}

// asked is what a set document has of what a search was asked to do.
type asked struct {
	Vary      string          `json:"vary"`
	SLO       string          `json:"slo"`
	Lowest    float64         `json:"lowest"`
	Highest   float64         `json:"highest"`
	Start     float64         `json:"start"`
	Within    float64         `json:"within"`
	LongestNS int64           `json:"max_probe_ns"`
	MaxTimeNS int64           `json:"max_time_ns,omitempty"`
	Seed      uint64          `json:"seed"`
	Run       json.RawMessage `json:"run"` // the plan of the first probe
}

// New resolves the first probe, and those of the lowest and the highest load. It starts nothing.
func New(env *run.Env, r *Request) (*Search, error) {
	job, plan, err := r.resolve(env)
	if err != nil {
		return nil, err
	}
	l := r.asked(job)
	s := &Search{request: r, env: env, search: loadline.New(l), between: r.overhead()}
	s.Set, err = several.Begin(env, &r.Forms, setdoc.KindLoadline, asked{
		Vary: l.Vary, SLO: r.slo(), Lowest: l.Lowest, Highest: l.Highest, Start: l.Start, Within: l.Within,
		LongestNS: l.LongestNS, MaxTimeNS: l.MaxTimeNS, Seed: r.Seed, Run: plan,
	})
	if err != nil {
		return nil, err
	}
	s.Doc.Planned, s.Open = 1, true // and one more whenever there is something left to find
	s.Doc.Loadline = s.search.Doc()
	return s, nil
}

// Run makes the probes, until the load line is found, somebody interrupts, or a run fails outright. Without a run that
// was measured there is nothing to show, and its error says why; else that is for Outcome.
func (s *Search) Run(ctx context.Context) error {
	view := run.NewView(s.env, s.request.Forms.Quiet, s.request.Kind.Report)
	soft, hard, release := run.Interrupts(ctx, s.env, view.Ending)
	defer release()
	s.began = time.Now()
	return s.Set.Run(soft, func(at int) error {
		load, more := s.search.Next()
		if !more {
			return fault.New(fault.RunFailed, "there is no load to try")
		}
		length, begun := s.length(load), time.Now()
		doc, err := s.measure(soft, hard, at, load, length)
		if doc == nil && at > 0 && soft.Err() == nil {
			wait(soft, settle)
			doc, err = s.measure(soft, hard, at, load, length)
		}
		if doc == nil && at == 0 {
			return err
		}
		s.between = max(time.Since(begun)-length, 0)
		if s.take(at, load, length, doc, err) {
			s.Doc.Planned = at + 2
		}
		return nil
	})
}

// settle is how long a probe waits that could not begin, before it tries once more: a server with a limit may still
// hold the connections of the one before.
const settle = time.Second

// wait ends early at an interrupt.
func wait(soft context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-soft.Done():
	}
}

// length is how long a probe of a load lasts: as long as its operations take, at least a second, and longer where one
// before was too short to tell. In the closed model nobody knows how many there will be, but for what the last had.
func (s *Search) length(load float64) time.Duration {
	long := closedAtFirst
	if speed := s.speed(load); speed > 0 {
		long = s.request.lengths().Of(speed)
	}
	long = (long << min(s.longer, 10)).Round(time.Millisecond)
	return min(max(long, s.request.Shortest), s.request.Longest)
}

// fits reports whether there is time for a probe of a load.
func (s *Search) fits(load float64) bool {
	return s.request.MaxTime == 0 || time.Since(s.began)+s.length(load)+s.between <= s.request.MaxTime
}

// left estimates how many more probes the search makes, if the next one is of a load.
func (s *Search) left(load float64) int {
	left := s.search.Left()
	if s.request.MaxTime > 0 {
		left = min(left, int((s.request.MaxTime-time.Since(s.began))/(s.length(load)+s.between)))
	}
	return max(left, 1)
}

// speed is how many operations a second a probe of a load has; 0 when nobody knows.
func (s *Search) speed(load float64) float64 {
	switch {
	case s.request.Vary == DefaultVary:
		return load
	case s.request.rate > 0:
		return s.request.rate
	}
	probes := s.Doc.Loadline.Probes
	if len(probes) == 0 || probes[len(probes)-1].Rate == nil {
		return 0
	}
	last := probes[len(probes)-1]
	return *last.Rate * load / last.Load // where more clients bring no more it is too short, and made again if need be
}

// measure makes a probe.
func (s *Search) measure(soft, hard context.Context, at int, load float64, length time.Duration) (*rundoc.Run, error) {
	job, _, err := s.request.job(s.env, load, length, at)
	if err != nil {
		return nil, err
	}
	return run.MakeMember(soft, hard, s.env, job, run.Member{
		Set: s.Dir(), Show: s.Show, At: at, What: fmt.Sprintf("probe %d: %s for %v", at+1, s.amount(load), length),
		Of: at + s.left(load), Each: length + s.between,
	})
}

func (s *Search) amount(load float64) string { return loadline.Amount(s.Doc.Loadline, load) }

// take puts what became of a probe into the document, and reports whether there is another one to make. One that was
// cut short is a member, and no probe.
func (s *Search) take(at int, load float64, length time.Duration, doc *rundoc.Run, err error) (more bool) {
	m := setdoc.Member{
		Name: s.amount(load), Workload: s.request.Kind.Name, Settings: map[string]string{s.request.Vary: text(load)},
	}
	interrupted := fault.CodeOf(err) == fault.Interrupted || doc != nil && doc.Interrupted
	if doc != nil && !interrupted {
		err = nil // that it failed, or is not to be believed, is for the judgement of the probe
	}
	s.Add(m, doc, err)
	if doc != nil && !interrupted {
		p := loadline.ProbeOf(doc, s.request.goals, load)
		s.search.Take(p)
		s.search.Note(doc)
		s.few = slices.ContainsFunc(s.request.goals, func(g threshold.Threshold) bool { return g.Figure().Few(doc) })
		var next float64
		next, more = s.search.Next()
		if s.longer++; p.Result != setdoc.ProbeTellsNothing || p.Own {
			s.longer = 0
		} else if length >= s.request.Longest || s.longer > 3 || !s.few && s.longer > 1 {
			more = false
		}
		s.Doc.Loadline = s.search.Doc() // from which the length of the next follows
		if more && !s.fits(next) {
			s.search.Stop()
			more = false
		}
		left := ""
		if more && !loadline.Gone(s.Doc.Loadline) {
			each := s.length(next) + s.between
			left = fmt.Sprintf(", about %v left", (time.Duration(s.left(next)) * each).Round(time.Second))
		}
		s.tell(at, length, &p, left)
	}
	s.Doc.Loadline = s.search.Doc()
	s.Doc.Verdict = loadline.Verdict(&s.Doc)
	return more && !loadline.Gone(s.Doc.Loadline)
}

// tell says in a line what a probe found, and how much time is left.
func (s *Search) tell(at int, length time.Duration, p *setdoc.Probe, left string) {
	if s.request.Forms.Quiet {
		return
	}
	text := p.Result
	if text == setdoc.ProbeTellsNothing {
		text = "inconclusive"
	}
	if p.Why != "" {
		text += ": " + p.Why
	} else {
		var values []string
		for i, v := range p.Values {
			if v.Value != nil && i < len(s.request.goals) {
				figure := s.request.goals[i].Figure()
				values = append(values, figure.String()+" "+figure.Unit().Text(*v.Value))
			}
		}
		if len(values) > 0 {
			text += ": " + strings.Join(values, ", ")
		}
	}
	fmt.Fprintf(s.env.Stderr, "probe %d: %s for %v: %s%s\n", at+1, s.amount(p.Load), length, text, left)
}

// Announce describes the search before it starts.
func (s *Search) Announce() string {
	l, r := s.Doc.Loadline, s.request
	s.began = time.Now()
	least, most := r.Shortest, r.Longest
	if enough := r.lengths().Enough; enough > 0 && r.Vary == DefaultVary {
		most = max(min(most, enough), s.length(l.Start))
	}
	lasting := fmt.Sprintf("%v to %v", least, most.Round(100*time.Millisecond))
	if least >= most {
		lasting = most.String()
	}
	text := fmt.Sprintf("searching for the highest load that meets %s, to within %s: about %s of %s, starting at %s",
		r.slo(),
		units.Percent3(l.Within), units.Count(int64(s.left(l.Start)), "probe", "probes"), lasting, s.amount(l.Start))
	if r.MaxTime > 0 {
		text += fmt.Sprintf(", at most %v in total", r.MaxTime)
	}
	return text + fmt.Sprintf(" (--seed %d)", r.Seed)
}

// Outcome is nil when there is a load line or all loads met the SLO, and all is saved.
func (s *Search) Outcome() error {
	if err := s.Set.Outcome(); err != nil {
		return err
	}
	l := s.Doc.Loadline
	switch {
	case l.Ending == setdoc.LineBelow && s.Doc.Verdict.Validity == rundoc.Invalid:
		return fault.New(fault.Untrusted, "the SLO was not met at %s, the lowest load, but the probes cannot be trusted: %s",
			s.amount(l.Lowest), strings.Join(s.Doc.Verdict.Reasons, " "))
	case l.Ending == setdoc.LineBelow:
		return fault.New(fault.Missed, "%s", strings.TrimSuffix(l.Why, ".")).
			Hint("relax --slo, or set a lower --lowest")
	case l.Ending == setdoc.LineGenerator:
		return fault.New(fault.Untrusted, "%s", strings.TrimSuffix(l.Why, ".")).Hint("%s", moreForTheGenerator(l.Why))
	case l.Ending == setdoc.LineWide, l.Ending == setdoc.LineTimeUp:
		return fault.New(fault.Untrusted, "%s", strings.TrimSuffix(l.Why, ".")).Hint("%s", s.morePrecise())
	case l.Ending == setdoc.LineCutShort && loadline.Gone(l):
		return fault.New(fault.RunFailed, "%s", strings.TrimSuffix(l.Why, ".")).
			Hint("check that the target is up and accepts the requests: run the command alone to see how it fails")
	case l.Ending == setdoc.LineCutShort && len(l.Probes) > 0:
		last := &l.Probes[len(l.Probes)-1]
		if !s.few {
			return fault.New(fault.Untrusted, "the SLO cannot be evaluated at %s: %s", s.amount(last.Load), last.Why).
				Hint("'plimsoll report' of the probe shows the metrics it has")
		}
		return fault.New(fault.Untrusted, "the SLO cannot be evaluated at %s, even by longer probes: %s",
			s.amount(last.Load), last.Why).Hint("use a lower percentile, or a higher --lowest or --max-probe")
	case s.Doc.Verdict.Validity == rundoc.Invalid:
		return fault.New(fault.Untrusted, "the result cannot be trusted: %s", strings.Join(s.Doc.Verdict.Reasons, " "))
	}
	return nil
}

// moreForTheGenerator returns a hint for a search that the generator limited.
func moreForTheGenerator(why string) string {
	switch more := regexp.MustCompile(`--max-[a-z]+ \d+|ulimit -n \d+`).FindString(why); {
	case more != "":
		return "search again with " + more
	case strings.Contains(why, "too-many-files"):
		return "raise the limit on open files (ulimit -n), or reduce --clients"
	case strings.Contains(why, "no-local-port"):
		return "reduce --clients, or wait until the ports of closed connections are free again"
	}
	return "give the load generator more CPU, or run it on its own machine"
}

// morePrecise returns a hint for a search that was not precise enough.
func (s *Search) morePrecise() string {
	l := s.Doc.Loadline
	reached := loadline.Precision(l)
	if reached == 0 {
		return "increase --max-time, or set --start closer to the expected result"
	}
	less := fmt.Sprintf("--within %.0f%%", math.Ceil(100*reached))
	if l.Ending == setdoc.LineWide {
		return "accept less precision: " + less
	}
	// The interval becomes narrower with the root of the number of probes.
	needs := time.Duration(float64(l.MaxTimeNS) * math.Pow(reached/l.Within, 2)).Round(time.Minute)
	return fmt.Sprintf("set --max-time to about %s, or accept less precision: %s",
		setting.FormatDuration(max(needs, 2*time.Duration(l.MaxTimeNS))), less)
}
