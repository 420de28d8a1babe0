package proof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Settling says how to wait for what was published.
type Settling struct {
	// Ask asks the server what it received. An error may pass: a server that was killed is
	// started again.
	Ask func(ctx context.Context) (*kvapi.Run, error)
	// Bound is how long to wait since the last batch that arrived.
	Bound time.Duration
	// AtLeastOnce says that the broker goes on delivering. Without it nothing comes any more when
	// nothing is on its way.
	AtLeastOnce bool
	// Unmet says that nobody has met the server yet: where nobody listens at first, the address is wrong, and
	// nothing is to be waited for.
	Unmet bool
}

const (
	// The server is asked often at first, since most runs have drained when they end, and a
	// question costs it little.
	firstPause = 2 * time.Millisecond
	maxPause   = 250 * time.Millisecond
	// quiet is how long nothing has to come, with nothing on its way as far as is known, for the
	// rest to be taken for lost where nobody delivers again, and for batches that were never
	// acknowledged to be taken for not sent.
	quiet = 2 * time.Second
)

// Settle waits until the server has received all that the broker acknowledged, and until no more
// of the rest is to be expected. It returns the last answer; the error is the last one, when the
// server did not answer to the end, or that of ctx.
func Settle(ctx context.Context, s Settling, published []rundoc.Published) (*kvapi.Run, error) {
	var answer *kvapi.Run
	var failed error
	var refused *kvapi.StatusError
	progress, moved, pause := int64(-1), time.Now(), firstPause
	var calm time.Time // since when the answers say that nothing is on its way; zero: the last did not
	for {
		asked := time.Now()
		run, err := s.askBounded(ctx, time.Since(moved))
		switch {
		case ctx.Err() != nil:
			return answer, ctx.Err()
		case errors.As(err, &refused) && refused.Status/100 == 4:
			return answer, err // whoever answers so is no key/value server, and does not become one
		case s.Unmet && answer == nil && cause.Of(err) == cause.Refused:
			return nil, err
		case err != nil:
			failed, calm = err, time.Time{}
		default:
			answer, failed = run, nil
			if n := Batches(run); n != progress {
				progress, moved, pause, calm = n, time.Now(), firstPause, time.Time{}
			}
			calm = s.calmSince(calm, asked, run)
			if s.over(run, published, time.Since(moved), calm) {
				return answer, nil
			}
		}
		if time.Since(moved) >= s.Bound {
			return answer, failed
		}
		if !backoff.Sleep(ctx, pause) {
			return answer, ctx.Err()
		}
		pause = min(pause*3/2, maxPause)
	}
}

// leastAsk is what a question may take when little of the bound is left.
const leastAsk = 2 * time.Second

// askBounded asks, and does not wait for a server that hangs for longer than there is to wait.
func (s *Settling) askBounded(ctx context.Context, still time.Duration) (*kvapi.Run, error) {
	return Within(ctx, max(leastAsk, s.Bound-still), s.Ask)
}

// Within asks once, and says in plain words when there was no answer in time.
func Within(ctx context.Context, bound time.Duration,
	ask func(context.Context) (*kvapi.Run, error)) (*kvapi.Run, error) {
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	run, err := ask(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = fmt.Errorf("no response within %v", bound.Round(100*time.Millisecond))
	}
	return run, err
}

// calmSince is since when nothing is on its way as far as the server knows; zero when something is.
// Where nobody delivers again, a server that cannot tell may have everything before it yet, and one
// that takes long to answer had no time to take up what had come.
func (s *Settling) calmSince(before, asked time.Time, run *kvapi.Run) time.Time {
	switch {
	case run.Backlog > 0, run.Unacked > 0, run.Backlog < 0 && !s.AtLeastOnce:
		return time.Time{}
	case before.IsZero(), time.Since(asked) > quiet/2:
		return time.Now()
	}
	return before
}

// over reports whether nothing more is to be waited for. Nothing has come for a while, still, and
// nothing has been on its way since calm.
func (s *Settling) over(run *kvapi.Run, published []rundoc.Published, still time.Duration, calm time.Time) bool {
	missing, open := int64(0), false
	for _, p := range published {
		got := Received(ReceivedFrom(run, p.Publisher))
		missing += got.missing(&p).Count()
		for _, u := range p.Unsure {
			open = open || !got.Has(u)
		}
	}
	silent := !calm.IsZero() && time.Since(calm) >= quiet
	switch {
	case missing > 0:
		// What a server refused because its memory is full, it refuses again.
		return silent && !s.AtLeastOnce || run.Full && still >= quiet
	case open:
		return silent
	}
	// What was not acknowledged yet may still be: of the last batches, or of those that come again.
	return !s.AtLeastOnce || run.Unacked <= 0 || still >= quiet
}

// Batches is how many batches have arrived.
func Batches(run *kvapi.Run) (n int64) {
	for _, p := range run.Publishers {
		n += p.Batches
	}
	return n
}
