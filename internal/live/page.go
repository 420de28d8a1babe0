package live

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/web"
	"github.com/plimsoll/plimsoll/setdoc"
)

// patience is how long the end of a command waits for browsers: to be told of the last run, and to have read it.
const patience = web.EndTime

// Page is what a command shows to browsers while its runs go on.
type Page struct {
	server *web.Server
	stream *web.Stream
	show   *onlook.Show
	leave  func(context.Context) bool
	stop   context.CancelFunc
	served sync.WaitGroup

	mu    sync.Mutex // of what follows
	ended []done     // runs that are over, the last ones
	over  int        // how many those are in all
	last  *onlook.Moment
	asked bool // somebody has the page, and listens or is about to
	done  bool // all is over
	set   *setdoc.Set
	final *page.Model // what came of it all; nil: nobody has asked yet

	due time.Time // of the next event; of the goroutine that tells
}

// done is a run of several that is over.
type done struct{ what, rate, p99, verdict string }

// mostDone is how many of them the page lists.
const mostDone = 50

// Open serves the page of the runs of a show at an address that was asked for, until End.
func Open(ctx context.Context, o web.Options, show *onlook.Show) (*Page, error) {
	// An interrupt ends the run, and what it came to is still to be shown.
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s, err := web.Listen(ctx, o)
	if err != nil {
		stop()
		return nil, err
	}
	p := newPage(show)
	p.server, p.stop = s, stop
	p.leave = show.Join(p)
	p.served.Go(func() {
		_ = s.Serve(ctx, p.handler(), nil) // that it accepts nobody any more is no matter of the run's
	})
	return p, nil
}

func newPage(show *onlook.Show) *Page { return &Page{stream: web.NewStream(), show: show} }

// URL is where the page is.
func (p *Page) URL() string { return p.server.URL() }

// eventsPath is where the page listens.
const eventsPath = "/events"

func (p *Page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(eventsPath, p.stream)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		p.ask()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Live(w, page.Content{Model: p.model(p.show.Now())}, eventsPath) // whoever is gone reads nothing
	})
	return mux
}

const (
	// eventShare is how many times as long as it took to make an event is at least until the next one: of a long run it
	// takes many milliseconds of a processor, which the load may need.
	eventShare = 20
	// eventRest bounds that: an event that something else held up, as a busy machine does, was no more work for that.
	eventRest = 5 * time.Second
)

func (p *Page) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

// See tells those who look how it goes.
func (p *Page) See(_ context.Context, now []onlook.Moment) {
	begun := time.Now()
	if p.stream.Listeners() == 0 || begun.Before(p.due) {
		return
	}
	of := p.model(now)
	// Behind the end the stream takes nothing any more.
	if line, err := of.Event(); err == nil { // else the next one will be there
		p.stream.Say(line)
	}
	p.due = begun.Add(min(eventShare*time.Since(begun), eventRest))
}

// Over takes what became of a run. Behind a single one nothing comes, and its report need not wait for the end of the
// command, which a person may keep waiting who reads it on the terminal.
func (p *Page) Over(_ context.Context, run onlook.Moment) {
	p.mu.Lock()
	p.last = &run
	p.over++
	if run.What == "" {
		p.mu.Unlock()
		p.conclude(nil)
		return
	}
	defer p.mu.Unlock()
	one := done{what: units.Clean(run.What), rate: units.Dash, p99: units.Dash, verdict: "nothing was measured"}
	if doc := run.Ended; doc != nil {
		one.verdict = units.Clean(string(doc.Verdict.Validity))
		if l, err := run.Kind.ListingOf(doc); err == nil {
			if one.rate = units.Clean(l.Rate); one.rate == "" && l.RatePerS != nil {
				one.rate = units.PerSecond(*l.RatePerS) + "/s"
			}
			one.p99 = units.Optional(l.P99NS)
		}
	}
	if p.ended = append(p.ended, one); len(p.ended) > mostDone {
		p.ended = p.ended[1:]
	}
}

// model is what the page shows now.
func (p *Page) model(now []onlook.Moment) page.Model {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return p.conclusion()
	}
	of := modelOf(now)
	if len(p.ended) > 0 {
		of.Sections = append(of.Sections, p.finished())
	}
	return of
}

// finished lists the runs that are over; p.mu is held.
func (p *Page) finished() report.Section {
	s := report.Section{Title: "Finished runs", Tables: []report.Table{report.TableOf(p.ended,
		report.Left("run", func(d done) string { return d.what }),
		report.Right("rate", func(d done) string { return d.rate }),
		report.Right("p99", func(d done) string { return d.p99 }),
		report.Left("verdict", func(d done) string { return d.verdict }))}}
	if p.over > len(p.ended) {
		s.Notes = []string{"The last " + units.Number(int64(len(p.ended))) + " of " + units.Number(int64(p.over)) + "."}
	}
	return s
}

// End shows what came of it all, the report of the run or that of a set, to those who look, and ends the page. It waits
// for them no longer than a bound.
func (p *Page) End(set *setdoc.Set) {
	bound, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p.leave(bound)
	p.conclude(set)
	p.stop()
	p.served.Wait()
}

// conclude says that all is over, once, and tells those who look what came of it.
func (p *Page) conclude(set *setdoc.Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.done, p.set = true, set
	if !p.asked {
		p.stream.End(nil) // who comes now is shown it by the page itself
		return
	}
	of := p.conclusion()
	line, err := of.Event()
	if err != nil {
		line = nil // the stream ends all the same
	}
	p.stream.End(line)
}

// conclusion is the last that is shown; p.mu is held.
func (p *Page) conclusion() page.Model {
	if p.final == nil {
		p.final = new(p.concluded())
	}
	return *p.final
}

func (p *Page) concluded() page.Model {
	switch {
	case p.set != nil:
		return page.ModelOf(sets.Page(sets.Source{Set: p.set}, report.Options{}))
	case p.last != nil && p.last.Ended != nil:
		return page.ModelOf(report.PageOf(p.last.Ended, p.last.Kind, report.Options{}))
	}
	title := "Plimsoll"
	if p.last != nil {
		title = titleOf(p.last)
	}
	return page.Model{Title: title, Facts: []report.Fact{{
		Key: keyVerdict, Strong: true, Tone: report.Bad,
		Value: "NOTHING MEASURED: the run came to nothing, and the terminal says why",
	}}}
}
