package runs

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

func newRemove(env *run.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN…",
		Short: "Remove saved runs",
		Long: `Remove saved runs without asking, and print what was removed. RUN is an id or
its beginning, last, last~1, or the path of a saved run; a set is removed with
all its runs. If one of them does not exist, nothing is removed.`,
		Example: `  plimsoll runs rm last

  plimsoll runs rm 20261121T2047 20261121T2051`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.New(fault.Usage, "plimsoll runs rm needs a run").
					Hint("give an id, its beginning, or last; 'plimsoll runs' lists the saved runs")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			s, err := saved.Open(env.Getenv)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			ids, err := s.IDs()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append([]string{"last"}, ids...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := saved.Open(env.Getenv)
			if err != nil {
				return err
			}
			var ids []string
			for _, name := range args {
				id, err := s.Removable(name)
				if err != nil {
					return err
				}
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			for _, id := range ids {
				if err := s.Remove(id); err != nil {
					return err
				}
				fmt.Fprintf(env.Stdout, "removed %s\n", units.Clean(id))
			}
			return nil
		},
	}
}

// pruning is what is to go.
type pruning struct {
	filter saved.Filter
	keep   *int // nil: not given
	older  time.Duration
	dry    bool
}

func newPrune(env *run.Env, kinds Kinds) *cobra.Command {
	p := &pruning{}
	keep := 0
	settings := new(setting.Set).
		Group("Selection",
			setting.Count(&keep, "keep", "count", "keep the newest N runs").Between(0, 1<<30),
			setting.Of(&p.older, "older", "age", "remove runs that are older than this: 12h, 30d or 6w", saved.ParseAge,
				func(d time.Duration) string {
					if d == 0 {
						return ""
					}
					return d.String()
				}).Offer("12h", "7d", "30d"),
			setting.Switch(&p.dry, "dry-run", "print what would be removed, but remove nothing")).
		Group("Filters", p.filter.Settings(time.Now())...)
	cmd := &cobra.Command{
		Use:   "prune --keep N | --older AGE",
		Short: "Remove old saved runs",
		Long: `Remove saved runs except the newest (--keep), or those older than an age
(--older), without asking; with both flags, the runs that both would remove.
--dry-run prints what would be removed.

With filters, as of 'plimsoll runs', only matching runs are counted and removed.
Unreadable runs are kept, and so are incomplete sets that changed within the
last week, because a command may still be writing them.`,
		Example: `  plimsoll runs prune --older 30d --dry-run

  plimsoll runs prune --keep 100

  plimsoll runs prune --label nightly --keep 14`,
		Args: command.AtMost(0, "it takes no arguments; 'plimsoll runs rm RUN' removes one run"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("keep") {
				p.keep = &keep
			}
			if p.keep == nil && p.older == 0 {
				return fault.New(fault.Usage, "plimsoll runs prune needs --keep or --older").
					Hint("--keep 100 keeps the newest 100, --older 30d removes older ones; try it with --dry-run " +
						"first")
			}
			if err := settings.Check(); err != nil {
				return err
			}
			if p.keep != nil && keep == 0 && p.older == 0 && !p.filter.Set() {
				return fault.New(fault.Usage, "--keep 0 alone would remove every saved run").
					Hint("add --older or a filter, or keep the newest with --keep 1")
			}
			s, fit, all, err := list(env, kinds, &p.filter, 0)
			if err != nil {
				return err
			}
			now := time.Now()
			if !p.dry {
				s.Clean(now)
			}
			return p.remove(env.Stdout, s, fit, all, now)
		},
	}
	addFlags(cmd, settings, kinds)
	return cmd
}

// remove removes what goes of those that fit the filter, and says so.
func (p *pruning) remove(w io.Writer, s *saved.Runs, fit []saved.Entry, all int, now time.Time) error {
	goes, written := p.choose(fit, now)
	word := "removed "
	if p.dry {
		word = "would remove "
	}
	for i := range goes {
		if !p.dry {
			if err := s.Remove(goes[i].ID); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "%s%s  %s\n", word, units.Clean(goes[i].ID), units.Clean(goes[i].What()))
	}
	for i := range written {
		fmt.Fprintf(w, `kept %s  %s: incomplete, a command may still be writing it
`,
			units.Clean(written[i].ID), units.Clean(written[i].What()))
	}
	_, err := fmt.Fprintf(w, "%s%s of %s\n", word, units.Number(int64(len(goes))),
		units.Count(int64(all), "saved run", "saved runs"))
	return err
}

// choose is what goes of those that fit the filter, and what would but for that it may still be written.
func (p *pruning) choose(fit []saved.Entry, now time.Time) (goes, written []saved.Entry) {
	at := 0
	for _, e := range fit {
		if e.Started.IsZero() {
			continue // it cannot be read
		}
		at++
		switch {
		case p.keep != nil && at <= *p.keep, p.older > 0 && now.Sub(e.Started) <= p.older:
		case e.MayBeWritten(now):
			written = append(written, e)
		default:
			goes = append(goes, e)
		}
	}
	return goes, written
}
