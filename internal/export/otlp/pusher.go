package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/units"
)

// Config says where to push what.
type Config struct {
	URL     string      // to which the paths of OTLP over HTTP are added
	Headers http.Header // with secrets among them
	Every   time.Duration
	Own     []Attribute // of the resource: of whom the numbers are
	Note    func(string)
}

const (
	// attemptTimeout bounds a push, and endPatience all of those at a run's end.
	attemptTimeout = 3 * time.Second
	endPatience    = 8 * time.Second
	// neverPatience is endPatience of a collector that has taken nothing yet: nothing says that it is there.
	neverPatience = time.Second
	// atOnce is how many spans are pushed at once.
	atOnce = 512
)

// Pusher pushes what it sees. It is an onlook.Watcher.
type Pusher struct {
	c    Config
	post *poster
	due  time.Time // when metrics are pushed again

	over    string // the run that was over last
	noted   bool   // that it does not work
	taken   bool   // something was
	spans   int64
	unspent int64 // spans that were not taken
	left    int64 // operations that were picked, and for which there was no room
	lost    bool  // the last metrics of a run were not taken
}

// New makes one. It does not ask whether anybody is there.
func New(c Config) *Pusher { return &Pusher{c: c, post: newPoster(c)} }

// See pushes the spans that there are, and the metrics when they are due.
func (p *Pusher) See(ctx context.Context, now []onlook.Moment) {
	due := !time.Now().Before(p.due)
	if due {
		p.due = time.Now().Add(p.c.Every)
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	for i := range now {
		m := &now[i]
		if m.ID == p.over {
			continue // a show has the last run until the next one begins
		}
		if due {
			p.metrics(ctx, m)
		}
		p.traces(ctx, m)
	}
}

// Over pushes what a run came to at last, and what is left of its spans.
func (p *Pusher) Over(ctx context.Context, m onlook.Moment) {
	ctx, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	p.over = m.ID
	spans, enough := context.WithTimeout(ctx, attemptTimeout) // the metrics are to have their time, too
	p.traces(spans, &m)
	enough()
	if m.Picked != nil {
		_, left := m.Picked.Counts()
		p.left += left
	}
	begun := time.Now()
	for pause := 250 * time.Millisecond; !p.metrics(ctx, &m); pause *= 2 {
		if !p.taken && time.Since(begun)+pause > neverPatience {
			p.lost = true
			return
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			p.lost = true
			return
		}
	}
}

// metrics pushes those of a run; false: they were not taken.
func (p *Pusher) metrics(ctx context.Context, m *onlook.Moment) bool {
	sums := m.Sums()
	if sums == nil {
		return true
	}
	return p.told(p.post.send(ctx, "/v1/metrics", metricsOf(m, sums, p.c.Own)))
}

// traces pushes the spans of a run that were picked since the last time.
func (p *Pusher) traces(ctx context.Context, m *onlook.Moment) {
	if m.Picked == nil {
		return
	}
	sums := m.Sums()
	for list := m.Picked.Take(); len(list) > 0; {
		n := min(len(list), atOnce)
		if sums == nil || !p.told(p.post.send(ctx, "/v1/traces", spansOf(m, sums, p.c.Own, list[:n]))) {
			p.unspent += int64(n)
		} else {
			p.spans += int64(n)
		}
		list = list[n:]
	}
}

// told tells a person of the first push that failed. Who cut it off knows that.
func (p *Pusher) told(err error) bool {
	if err != nil && !p.noted && !errors.Is(err, context.Canceled) {
		p.noted = true
		p.c.Note("--otlp: " + err.Error() + "; the run continues")
	}
	p.taken = p.taken || err == nil
	return err == nil
}

// End says what was not pushed, when nothing is to be seen any more; "" when all was.
func (p *Pusher) End() string {
	p.post.close()
	switch {
	case p.lost && p.unspent+p.left > 0:
		return "the last metrics of a run and " + p.spansLeft()
	case p.lost:
		return "the last metrics of a run"
	case p.unspent+p.left > 0:
		return p.spansLeft()
	}
	return ""
}

func (p *Pusher) spansLeft() string {
	return fmt.Sprintf("%s of %s sampled", units.Count(p.unspent+p.left, "span", "spans"),
		units.Number(p.spans+p.unspent+p.left))
}
