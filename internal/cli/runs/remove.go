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
		Long: `Remove saved runs, and of a set all of its runs. It does not ask, and says what
it removed. RUN is an id, the beginning of one, last, last~1, or the path of a
saved run; nothing is removed when one of them is none.`,
		Example: `  plimsoll runs rm last
  plimsoll runs rm 20261121T2047 20261121T2051`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.New(fault.Usage, "plimsoll runs rm needs a run").
					Hint("an id, the beginning of one, or last; 'plimsoll runs' lists them")
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
		Group("What goes",
			setting.Count(&keep, "keep", "count", "all but the newest so many").Between(0, 1<<30),
			setting.Of(&p.older, "older", "age", "what began longer ago than this: 12h, 30d or 6w", saved.ParseAge,
				func(d time.Duration) string {
					if d == 0 {
						return ""
					}
					return d.String()
				}).Offer("12h", "7d", "30d"),
			setting.Switch(&p.dry, "dry-run", "say what would be removed, and remove nothing")).
		Group("Among which", p.filter.Settings(time.Now())...)
	cmd := &cobra.Command{
		Use:   "prune --keep N | --older AGE",
		Short: "Remove old saved runs",
		Long: `Remove all saved runs but the newest (--keep), or those that began longer ago
than an age (--older); with both, what is both. With filters, as of 'plimsoll
runs', only runs that fit them are counted and removed. It does not ask:
--dry-run says what would be removed. What cannot be read stays, and so does a
set that lacks runs and was changed within a week: a command may be writing it.`,
		Example: `  plimsoll runs prune --older 30d --dry-run
  plimsoll runs prune --keep 100
  plimsoll runs prune --label nightly --keep 14`,
		Args: command.AtMost(0, "it takes no argument; one run is removed by 'plimsoll runs rm RUN'"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("keep") {
				p.keep = &keep
			}
			if p.keep == nil && p.older == 0 {
				return fault.New(fault.Usage, "plimsoll runs prune needs --keep or --older: nothing says what goes").
					Hint("--keep 100 keeps the newest 100, --older 30d removes what is older; --dry-run shows it first")
			}
			if err := settings.Check(); err != nil {
				return err
			}
			if p.keep != nil && keep == 0 && p.older == 0 && !p.filter.Set() {
				return fault.New(fault.Usage, "--keep 0 removes every saved run: nothing else says what goes").
					Hint("--keep 1 keeps the newest; with --older or a filter, as of 'plimsoll runs', 0 keeps none of those")
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
		fmt.Fprintf(w, "kept %s  %s: it lacks runs, and a command may be writing it\n",
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
