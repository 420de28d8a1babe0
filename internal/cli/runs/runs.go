package runs

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Kinds are the kinds of traffic: their names, and how their runs are shown.
type Kinds struct {
	Names []string
	Of    saved.Kinds
}

// names are the kinds that an entry may have.
func (k Kinds) names() []string {
	return append(slices.Clone(k.Names), setdoc.KindSweep, setdoc.KindPlan, setdoc.KindLoadline)
}

// New makes the command, with those below it.
func New(env *run.Env, kinds Kinds) *cobra.Command {
	asJSON, limit := false, 0
	var filter saved.Filter
	settings := new(setting.Set).Group("Which", filter.Settings(time.Now())...).
		Group("Which", setting.Count(&limit, "limit", "count", "show only the newest N (default all)").
			Between(0, 1<<30)).
		Group("Output", setting.Switch(&asJSON, "json", "print JSON"))
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the saved runs, newest first",
		Long: `List saved runs, newest first: id, workload, load, start, target,
throughput, p99 of the response time, labels and verdict. Commands that take a
run accept an id or its beginning, last, last~1, or the path of a document.

Missed thresholds follow the verdict. An overhead run shows the number of
operations and their lowest and highest median. An updates run shows the updates
applied per second (or batches published, if it only published), the end-to-end
p99, and whether its verification is incomplete. A sweep shows what it varies
and the throughput of its best setting; a load line its SLO and the result. Runs
of a set are not listed; last/3 is the third run of the set last. In a narrow
terminal, load, labels and target move to a second line.`,
		Example: `  plimsoll runs

  plimsoll runs --workload chat --label nightly --since 7d --limit 10

  plimsoll runs prune --older 30d --dry-run`,
		Args: command.AtMost(0, "it takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if err := settings.Check(); err != nil {
				return err
			}
			s, entries, all, err := list(env, kinds, &filter, limit)
			if err != nil {
				return err
			}
			if !asJSON {
				return printRuns(env, s, entries, all)
			}
			lines := make([]line, 0, len(entries))
			for i := range entries {
				lines = append(lines, line{&entries[i], s.Dir})
			}
			return command.WriteJSON(env.Stdout, lines)
		},
	}
	addFlags(cmd, settings, kinds)
	cmd.AddCommand(newRemove(env), newPrune(env, kinds))
	return cmd
}

// addFlags makes flags of settings, and has a shell offer the kinds.
func addFlags(cmd *cobra.Command, settings *setting.Set, kinds Kinds) {
	for _, one := range settings.All() {
		if one.Name == "workload" {
			one.Offer(kinds.names()...)
		}
	}
	command.AddFlags(cmd, settings)
}

// list is what fits the filter, when that can be one: the newest so many, or all for a limit of 0. all is how many runs
// were looked at.
func list(env *run.Env, kinds Kinds, filter *saved.Filter, limit int) (s *saved.Runs, fit []saved.Entry, all int,
	err error) {
	if s, err = saved.Open(env.Getenv); err != nil {
		return nil, nil, 0, err
	}
	choice := saved.Choice{Reading: reading(env), Now: time.Now()}
	if filter.Check(kinds.names(), nil) != nil { // only the runs can tell whether it is a kind
		if fit, all, err = s.List(kinds.Of, choice); err == nil {
			err = filter.Check(kinds.names(), fit)
		}
		if fit = filter.Pick(fit); limit > 0 {
			fit = fit[:min(limit, len(fit))]
		}
		return s, fit, all, err
	}
	if choice.Limit = limit; filter.Set() {
		choice.Filter = filter
	}
	fit, all, err = s.List(kinds.Of, choice)
	return s, fit, all, err
}

// reading says on a terminal why a list takes long that was never made before.
func reading(env *run.Env) func(documents int) {
	return func(documents int) {
		if env.IsTerminal(env.Stderr) {
			fmt.Fprintf(env.Stderr, `indexing %s …
`,
				units.Count(int64(documents), "saved run", "saved runs"))
		}
	}
}
