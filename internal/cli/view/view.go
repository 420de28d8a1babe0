package view

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	pages "github.com/plimsoll/plimsoll/internal/view"
	"github.com/plimsoll/plimsoll/internal/web"
)

// House is what the command has to know of the others.
type House struct {
	Kinds  saved.Kinds                 // how runs are shown
	Broken func(*saved.Saved) []string // what of a set does not follow from its own figures
	Names  func() []string             // of runs, for a shell
}

const long = `Open saved runs in a browser: as pages with charts, tables and the documents, or
without a RUN the list of all that is saved, by which they are found and several
of them laid into the same charts. New runs are there when the page is loaded
again. The address stands on standard output; Ctrl-C ends it.

RUN is the path of a run document or of the directory that holds it, the id of a
saved run or set, the beginning of one, last, or last~1 for the one before.
Several are shown in the same charts.

The page is for this machine alone. With --listen 0.0.0.0:8080 others may open
it, too: then it asks for a token, which stands in the address that is printed,
or for that of $PLIMSOLL_UI_TOKEN.`

// options are the settings of the command.
type options struct {
	listen string
	open   bool
}

// New makes the command.
func New(env *run.Env, house House) *cobra.Command {
	o := &options{listen: "127.0.0.1:0"}
	cmd := &cobra.Command{
		Use:   "view [RUN…]",
		Short: "Open saved runs in a browser: charts, a list, several overlaid",
		Long:  long,
		Example: `  plimsoll view
  plimsoll view last
  plimsoll view last last~1
  plimsoll view --listen 8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if name == "-" {
					return fault.New(fault.Usage, "%s reads no run from standard input", cmd.CommandPath()).
						Hint("'plimsoll report - --html FILE' writes the page of one that comes through a pipe")
				}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return house.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.view(cmd.Context(), env, house, args) },
	}
	command.AddFlags(cmd, o.settings())
	return cmd
}

func (o *options) settings() *setting.Set {
	return new(setting.Set).Group("Server",
		web.AddressSetting(&o.listen, "listen", "address of the page: a port of this machine, or host:port; port 0 takes "+
			"a free one"),
		setting.Switch(&o.open, "open", "have the browser open it"))
}

// view serves the pages until it is interrupted.
func (o *options) view(ctx context.Context, env *run.Env, house House, names []string) error {
	if err := o.settings().Check(); err != nil {
		return err
	}
	store, err := saved.Open(env.Getenv)
	if err != nil {
		return err
	}
	c := pages.Config{Store: store, Kinds: house.Kinds, Broken: house.Broken}
	if c.Named, err = find(store, names); err != nil {
		return err
	}
	soft, _, release := run.Interrupts(ctx, env, nil)
	defer release()
	s, err := web.Listen(soft, web.Options{Flag: "--listen", Address: o.listen, Token: env.Getenv(web.TokenVariable)})
	if err != nil {
		return err
	}
	if o.open && s.Guarded() {
		_ = s.Close()
		return fault.New(fault.Usage, "--open would show the token to everybody on this machine").
			Hint("leave it out, and open the address that is printed")
	}
	fmt.Fprintln(env.Stdout, s.URL())
	fmt.Fprintln(env.Stderr, shows(names)+": open the address in a browser; Ctrl-C ends it")
	if o.open {
		if err := open(s.URL()); err != nil {
			fmt.Fprintf(env.Stderr, "--open: no browser could be started: %v\n", err)
		}
	}
	return s.Serve(soft, pages.New(c), nil)
}

// shows says what there is to be seen.
func shows(names []string) string {
	switch len(names) {
	case 0:
		return "the saved runs"
	case 1:
		return "one run"
	}
	return fmt.Sprintf("%d runs in the same charts", len(names))
}

// find finds the documents that are named, and reads each: what is wrong with one is said now, and not in a browser.
func find(store *saved.Runs, names []string) ([]pages.Named, error) {
	var all []pages.Named
	for _, name := range names {
		found, err := store.Load(name)
		if err != nil {
			return nil, err
		}
		if found.Set != nil && len(names) > 1 {
			return nil, fault.New(fault.Usage, "%s is a %s, and no single run: it has no charts in common with others", name,
				found.Set.Kind).Hint("view it alone, or name its runs: %s/1", strings.TrimSuffix(name, "/"))
		}
		if info, err := os.Stat(found.Path); err == nil && !info.Mode().IsRegular() {
			return nil, fault.New(fault.Usage, "%s is no file, and each page reads it again", name).
				Hint("'plimsoll report - --html FILE' writes the page of one that comes through a pipe")
		}
		all = append(all, pages.Named{Name: name, Path: found.Path})
	}
	return all, nil
}
