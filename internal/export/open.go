package export

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/export/prom"
	"github.com/plimsoll/plimsoll/internal/onlook"
)

// Surroundings are what the ways need of the command.
type Surroundings struct {
	Note  func(string) // tells a person what goes wrong, and where something is to be found
	Quiet bool         // only what goes wrong is told
}

// Open opens the ways that were asked for, into a show; nil: none was. end has each take what the runs came to at last,
// within a bound, and sooner where its context ends; it is called once. What cannot be opened is an error of the usage,
// and nothing is left open.
func (s *Settings) Open(ctx context.Context, around Surroundings) (show *onlook.Show, end func(context.Context), err error) {
	if s.Metrics == "" {
		return nil, func(context.Context) {}, nil
	}
	show = onlook.New()
	l, err := Listen(ctx, "metrics", s.Metrics)
	if err != nil {
		return nil, nil, err
	}
	if !around.Quiet {
		around.Note("metrics at http://" + l.Addr().String() + prom.Path)
	}
	served := prom.Serve(ctx, l, show)
	return show, func(ctx context.Context) {
		linger := s.MetricsLinger
		if !measured(show) {
			linger = 0 // there are no final values to wait for
		}
		served.End(ctx, linger)
	}, nil
}

// measured reports whether the last run came to something.
func measured(show *onlook.Show) bool {
	now := show.Now()
	return len(now) > 0 && now[len(now)-1].Ended != nil
}
