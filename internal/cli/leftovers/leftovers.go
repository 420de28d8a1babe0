package leftovers

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

const long = `List the unfinished uploads that killed runs left at an S3 store, and abort them
with --abort. Their parts cost money and do not appear in any list of objects.

A URL that ends in / means a directory, in which Plimsoll recognizes its own
uploads by name; the URL of a file means the uploads to that file and to those
of --streams beside it. --all includes uploads to other names.

--abort affects only uploads that are older than --older: newer ones may belong
to a run that is still going on.`

const example = `  # uploads that earlier runs left in a directory
  plimsoll bandwidth leftovers s3://my-bucket/tmp/

  # abort those that are older than a day
  plimsoll bandwidth leftovers s3://my-bucket/tmp/ --abort`

// options are what the command was given.
type options struct {
	plan  bandwidth.Plan
	abort bool
	all   bool
	older time.Duration
	json  bool
}

// New makes the command.
func New(env *run.Env) *cobra.Command {
	o := &options{plan: bandwidth.DefaultPlan(), older: 24 * time.Hour}
	settings := new(setting.Set).
		Group("Selection",
			setting.Switch(&o.abort, "abort", "abort uploads that are older than --older (default: list them)"),
			setting.Of(&o.older, "older", "age", "with --abort: minimum age: 30m, 12h or 7d",
				parseAge, formatAge).Offer("0s", "1h", "24h", "7d"),
			setting.Switch(&o.all, "all", "include uploads to names that Plimsoll did not choose")).
		Group("Store", o.plan.StoreSettings()...).
		Group("Output", setting.Switch(&o.json, "json", "print the list as JSON"))
	cmd := &cobra.Command{
		Use: "leftovers URL", Short: "List or abort unfinished uploads of killed runs",
		Long: long, Example: example, Args: command.ExactlyOne("a URL", "a directory or file at an S3 store"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"s3://", "s3a://"}, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := settings.Check(); err != nil {
				return err
			}
			o.plan.URL = args[0]
			return o.run(cmd.Context(), env, command.Given(cmd))
		},
	}
	command.AddFlags(cmd, settings)
	return cmd
}

// parseAge takes an age of nothing, too: everything is older.
func parseAge(s string) (time.Duration, error) {
	if d, err := time.ParseDuration(s); err == nil && d == 0 {
		return 0, nil
	}
	return saved.ParseAge(s)
}

// formatAge has no minutes and seconds that are none.
func formatAge(d time.Duration) string {
	switch {
	case d == 0 || d%time.Minute != 0:
		return d.String()
	case d%time.Hour != 0:
		return strings.TrimSuffix(d.String(), "0s")
	}
	return strings.TrimSuffix(d.String(), "0m0s")
}

func (o *options) run(ctx context.Context, env *run.Env, given func(flag string) bool) error {
	if o.plan.URL == "" {
		return fault.New(fault.Usage, "the URL is empty").Hint("give a URL such as s3://BUCKET/DIRECTORY/")
	}
	o.plan.URL = o.directory(o.plan.URL)
	at, err := bandwidth.Find(ctx, &o.plan, given)
	if err != nil {
		return err
	}
	defer func() { _ = at.Store.Close() }()
	keeper, ok := at.Store.(store.UploadKeeper)
	if !ok {
		return fault.New(fault.Usage, "the store of %s does not keep unfinished uploads", redact.URL(o.plan.URL)).
			Hint("Azure and Google discard them after a week; elsewhere, delete the incomplete file if there is one")
	}
	list, err := o.find(ctx, at, keeper)
	if err != nil {
		return at.Wrong(err)
	}
	return o.tell(env, o.act(ctx, at, keeper, list))
}

// directory is the URL with a slash at its end where it names a bucket alone.
func (o *options) directory(url string) string {
	_, rest, found := strings.Cut(url, "://")
	if found && !strings.Contains(rest, "/") {
		return url + "/"
	}
	return url
}

// leftover is an upload and what became of it.
type leftover struct {
	URL    string    `json:"url"`
	Begun  time.Time `json:"begun"`
	Own    bool      `json:"own"` // its name is one that plimsoll makes, or was given
	Given  bool      `json:"given_up"`
	Error  string    `json:"error,omitempty"`
	upload store.Upload
	age    time.Duration
	failed error
}

// made is what a run calls a file that it was not given a name for, behind what it always begins with.
var made = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{4}(-[0-9]+)?$`)

// stream is what is behind the name of a file in those of its other streams.
var stream = regexp.MustCompile(`^(-[0-9]+)?$`)

// find lists the uploads that are asked for.
func (o *options) find(ctx context.Context, at *bandwidth.Found, keeper store.UploadKeeper) ([]leftover, error) {
	prefix, own := at.Path, stream
	if at.Directory {
		own = made
	}
	if o.all {
		prefix = strings.TrimSuffix(path.Dir(prefix), "/") + "/"
		if !at.Directory {
			prefix = at.Path
		}
	}
	uploads, err := keeper.Uploads(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var list []leftover
	now := time.Now()
	for _, u := range uploads {
		rest, below := strings.CutPrefix(u.Path, at.Path)
		l := leftover{
			URL: at.Shown(u.Path), Begun: u.Begun, Own: below && own.MatchString(rest), upload: u, age: now.Sub(u.Begun),
		}
		if l.Own || o.all {
			list = append(list, l)
		}
	}
	return list, nil
}

// act gives up what is to be.
func (o *options) act(ctx context.Context, at *bandwidth.Found, keeper store.UploadKeeper, list []leftover) []leftover {
	for i := range list {
		l := &list[i]
		if !o.abort || l.age < o.older {
			continue
		}
		if err := keeper.GiveUp(ctx, l.upload); err != nil {
			l.failed = at.Wrong(err)
			l.Error = l.failed.Error()
			continue
		}
		l.Given = true
	}
	return list
}

// tell writes what was found and done.
func (o *options) tell(env *run.Env, list []leftover) error {
	var failed error
	given, young := 0, 0
	rows := [][]string{{"begun", "age", "", "upload"}}
	for i := range list {
		l := &list[i]
		what := ""
		switch {
		case l.failed != nil:
			what, failed = "failed", l.failed
		case l.Given:
			what, given = "aborted", given+1
		case l.age < o.older:
			what, young = "younger", young+1
		}
		rows = append(rows, []string{units.UTC(l.Begun), units.Length(int64(l.age)), what, units.Clean(l.URL)})
	}
	if o.json {
		if list == nil {
			list = []leftover{}
		}
		if err := command.WriteJSON(env.Stdout, list); err != nil {
			return err
		}
		return failed
	}
	if len(list) > 0 {
		fmt.Fprint(env.Stdout, command.Align(rows))
	}
	fmt.Fprintln(env.Stdout, o.sum(len(list), given, young))
	return failed
}

// sum is what was found and done in one line.
func (o *options) sum(all, given, young int) string {
	switch {
	case all == 0:
		return "no unfinished uploads"
	case o.abort:
		return fmt.Sprintf("%d of %s aborted", given, units.Count(int64(all), "upload", "uploads"))
	case young == all:
		return fmt.Sprintf("%s, none older than %s: a run may still be writing them",
			units.Count(int64(all), "upload", "uploads"), formatAge(o.older))
	}
	return fmt.Sprintf("%s; --abort aborts the %d that are older than %s",
		units.Count(int64(all), "upload", "uploads"), all-young, formatAge(o.older))
}
