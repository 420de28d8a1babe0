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

// patience limits how long a command waits at its end for browsers to receive the report.
const patience = web.EndTime

// Page is the live page of a command.
type Page struct {
	server *web.Server
	stream *web.Stream
	show   *onlook.Show
	leave  func(context.Context) bool
	stop   context.CancelFunc
	served sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	ended []done     // the last finished runs
	over  int        // number of finished runs
	last  *onlook.Moment
	asked bool // a browser has loaded the page
	done  bool // the command is done
	set   *setdoc.Set
	final *page.Model // the report; nil: not made yet

	due time.Time // time of the next event; used by See alone
}

// done is a finished run of several.
type done struct{ what, rate, p99, verdict string }

// mostDone limits how many of them the page lists.
const mostDone = 50

// Open serves the page of the runs of a show at an address until End is called.
func Open(ctx context.Context, o web.Options, show *onlook.Show) (*Page, error) {
	// An interrupt ends the run; its report is still to be shown.
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
		_ = s.Serve(ctx, p.handler(), nil) // an error of the page is not one of the run
	})
	return p, nil
}

func newPage(show *onlook.Show) *Page { return &Page{stream: web.NewStream(), show: show} }

// URL returns the address of the page.
func (p *Page) URL() string { return p.server.URL() }

// eventsPath is the path of the event stream.
const eventsPath = "/events"

func (p *Page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(eventsPath, p.stream)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		p.ask()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Live(w, page.Content{Model: p.model(p.show.Now())}, eventsPath) // the client may be gone
	})
	return mux
}

const (
	// eventShare is the least ratio of the time between events to the time it takes to make one: an event of a long run
	// takes many milliseconds of CPU time, which the load may need.
	eventShare = 20
	// eventRest limits that time: an event can also be slow because the machine is busy.
	eventRest = 5 * time.Second
)

func (p *Page) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

// See sends an event to the browsers.
func (p *Page) See(_ context.Context, now []onlook.Moment) {
	begun := time.Now()
	if p.stream.Listeners() == 0 || begun.Before(p.due) {
		return
	}
	of := p.model(now)
	// After the end the stream drops it.
	if line, err := of.Event(); err == nil { // else the next one will be there
		p.stream.Say(line)
	}
	p.due = begun.Add(min(eventShare*time.Since(begun), eventRest))
}

// Over records a finished run. The report of a single run is shown at once, since the command may not end until the
// user has read it on the terminal.
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
	one := done{what: units.Clean(run.What), rate: units.Dash, p99: units.Dash, verdict: "no result"}
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

// model returns the current model.
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

// finished lists the finished runs; p.mu is held.
func (p *Page) finished() report.Section {
	s := report.Section{Title: "Finished runs", Tables: []report.Table{report.TableOf(p.ended,
		report.Left("run", func(d done) string { return d.what }),
		report.Right("rate", func(d done) string { return d.rate }),
		report.Right("p99", func(d done) string { return d.p99 }),
		report.Left("verdict", func(d done) string { return d.verdict }))}}
	if p.over > len(p.ended) {
		s.Notes = []string{"The table shows the last " + units.Number(int64(len(p.ended))) + " of " +
			units.Number(int64(p.over)) + " runs."}
	}
	return s
}

// End sends the report of the run or of the set to the browsers and closes the page. It waits for them for a limited
// time.
func (p *Page) End(set *setdoc.Set) {
	bound, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p.leave(bound)
	p.conclude(set)
	p.stop()
	p.served.Wait()
}

// conclude marks the command as done, once, and sends the report.
func (p *Page) conclude(set *setdoc.Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.done, p.set = true, set
	if !p.asked {
		p.stream.End(nil) // later browsers get it with the page
		return
	}
	of := p.conclusion()
	line, err := of.Event()
	if err != nil {
		line = nil // the stream ends anyway
	}
	p.stream.End(line)
}

// conclusion returns the last model; p.mu is held.
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
		Value: "NO RESULT: the run ended without a measurement; see the terminal for the reason",
	}}}
}
