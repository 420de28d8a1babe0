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

// House has what the command needs from the others.
type House struct {
	Kinds  saved.Kinds                 // how runs are shown
	Broken func(*saved.Saved) []string // reports which values of a set do not follow from its runs
	Names  func() []string             // returns names of runs, for shell completion
}

const long = `Show saved runs in a browser, with charts, tables and the documents. Without a
RUN, show the list of all saved runs, where you can filter them and overlay
several in the same charts.

The command prints the address on standard output and serves until you press
Ctrl-C. Reload the page to see new runs.

RUN is an id of a saved run or set, its beginning, last, last~1, or the path of
a run document or its directory.

Only this machine can open the page. With --listen 0.0.0.0:8080 other machines
can open it too. It then requires a token, which is part of the printed address
or the value of $PLIMSOLL_UI_TOKEN.`

// options holds the settings of the command.
type options struct {
	listen string
	open   bool
}

// New returns the command.
func New(env *run.Env, house House) *cobra.Command {
	o := &options{listen: "127.0.0.1:0"}
	cmd := &cobra.Command{
		Use:   "view [RUN…]",
		Short: "Show saved runs in a browser",
		Long:  long,
		Example: `  plimsoll view

  plimsoll view last last~1

  plimsoll view --listen 8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if name == "-" {
					return fault.New(fault.Usage, "%s cannot read a run from standard input", cmd.CommandPath()).
						Hint("write its page to a file: plimsoll report - --html FILE")
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
		web.AddressSetting(&o.listen, "listen", "address to listen on: a port on this machine, or host:port; port 0 picks a "+
			"free port"),
		setting.Switch(&o.open, "open", "open the page in the default browser"))
}

// view serves the pages until interrupted.
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
		return fault.New(fault.Usage, "--open would show the token to all users of this machine").
			Hint("open the printed address yourself")
	}
	fmt.Fprintln(env.Stdout, s.URL())
	fmt.Fprintln(env.Stderr, shows(names)+": open this address in a browser; press Ctrl-C to stop")
	if o.open {
		if err := open(s.URL()); err != nil {
			fmt.Fprintf(env.Stderr, "--open: cannot start a browser: %v\n", err)
		}
	}
	return s.Serve(soft, pages.New(c), nil)
}

// shows describes what is served.
func shows(names []string) string {
	switch len(names) {
	case 0:
		return "serving the saved runs"
	case 1:
		return "serving one run"
	}
	return fmt.Sprintf("serving %d runs in the same charts", len(names))
}

// find finds and reads the named documents, so that errors are reported by the command and not in the browser.
func find(store *saved.Runs, names []string) ([]pages.Named, error) {
	var all []pages.Named
	for _, name := range names {
		found, err := store.Load(name)
		if err != nil {
			return nil, err
		}
		if found.Set != nil && len(names) > 1 {
			return nil, fault.New(fault.Usage, "%s is a %s, not a single run: it cannot be overlaid with other runs", name,
				found.Set.Kind).Hint("view it alone, or name one of its runs: %s/1", strings.TrimSuffix(name, "/"))
		}
		if info, err := os.Stat(found.Path); err == nil && !info.Mode().IsRegular() {
			return nil, fault.New(fault.Usage, "%s is not a regular file: the page must be able to read it again", name).
				Hint("write its page to a file: plimsoll report - --html FILE")
		}
		all = append(all, pages.Named{Name: name, Path: found.Path})
	}
	return all, nil
}
