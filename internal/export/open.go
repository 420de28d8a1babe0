package export

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/export/otlp"
	"github.com/plimsoll/plimsoll/internal/export/prom"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/web"
)

// Surroundings are what the ways need of the command.
type Surroundings struct {
	Note      func(string)                // tells a person what goes wrong, and where something is to be found
	Quiet     bool                        // only what goes wrong is told
	LookupEnv func(string) (string, bool) // the environment, which may have secrets
	Version   string                      // of this program
}

// Open opens the ways that were asked for, into a show; nil: none was. end has each take what the runs came to at last,
// within a bound, and sooner where its context ends; it is called once. What cannot be opened is an error of the usage,
// and nothing is left open.
func (s *Settings) Open(
	ctx context.Context, around Surroundings,
) (show *onlook.Show, end func(context.Context), err error) {
	if s.Metrics == "" && s.OTLP == "" {
		return nil, func(context.Context) {}, nil
	}
	show = onlook.New()
	var ends []func(context.Context)
	if s.OTLP != "" {
		push, err := s.push(show, around)
		if err != nil {
			return nil, nil, err
		}
		ends = append(ends, push)
	}
	if s.Metrics != "" {
		serve, err := s.serve(ctx, show, around)
		if err != nil {
			for _, end := range ends {
				end(ctx)
			}
			return nil, nil, err
		}
		ends = append(ends, serve)
	}
	return show, func(ctx context.Context) {
		for _, end := range ends {
			end(ctx)
		}
	}, nil
}

// serve opens --metrics.
func (s *Settings) serve(ctx context.Context, show *onlook.Show, around Surroundings) (func(context.Context), error) {
	l, err := web.Bind(ctx, "--metrics", s.Metrics)
	if err != nil {
		return nil, err
	}
	if !around.Quiet {
		around.Note("metrics at http://" + l.Addr().String() + prom.Path)
	}
	served := prom.Serve(ctx, l, s.Metrics, show)
	return func(ctx context.Context) { served.End(ctx, s.linger(show)) }, nil
}

// linger is how long the end waits for a scrape of the final values; not at all where the last run came to none.
func (s *Settings) linger(show *onlook.Show) time.Duration {
	now := show.Now()
	if len(now) == 0 || now[len(now)-1].Ended == nil {
		return 0
	}
	return s.MetricsLinger
}

const (
	// pushPatience bounds how long the end waits for a collector.
	pushPatience = 10 * time.Second
	// hurry bounds it when the run was interrupted: what it came to is pushed where that can be.
	hurry = 2 * time.Second
)

// push opens --otlp.
func (s *Settings) push(show *onlook.Show, around Surroundings) (func(context.Context), error) {
	c := otlp.Config{URL: s.OTLP, Every: s.often(), Note: around.Note}
	var err error
	if c.Headers, c.Own, err = otlp.Environment(around.LookupEnv, around.Version); err != nil {
		return nil, fault.New(fault.Usage, "--otlp: %w", err).
			Hint("use key=value,key=value; write a comma in a value as %%2C")
	}
	show.Picker = s.OTLPSample.picker
	pusher := otlp.New(c)
	leave := show.Join(pusher)
	return func(ctx context.Context) {
		ctx, cancel := patient(ctx)
		defer cancel()
		if !leave(ctx) {
			around.Note("--otlp: the collector does not accept data: unsent metrics and spans are lost")
			return
		}
		if left := pusher.End(); left != "" {
			around.Note("--otlp: not sent: " + left)
		}
	}, nil
}

// patient bounds the end of a command by how long it waits for a collector.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() != nil { // it was interrupted before, and not while this waits
		return context.WithTimeout(context.WithoutCancel(ctx), hurry)
	}
	return context.WithTimeout(ctx, pushPatience)
}
