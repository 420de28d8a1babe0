package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/comparisons"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

// A side is one of the two, as given: a run to make, or a saved one.
type side struct {
	comparisons.Side
	name  string       // of a saved run
	found *saved.Saved // nil: it is to be made
}

func (s *side) what() string {
	if s.found != nil {
		return "a saved run"
	}
	return "a new run"
}

// sides parses both sides.
func (o *options) sides(args []string) (both [2]side, err error) {
	for i, text := range args {
		if both[i], err = o.side(text); err != nil {
			return both, of(i, err)
		}
	}
	if (both[0].found == nil) != (both[1].found == nil) {
		return both, fault.New(fault.Usage, "A is %s and B is %s: a saved run cannot be compared with a new one",
			both[0].what(),
			both[1].what()).
			Hint("measure both sides now, or name two saved runs")
	}
	return both, nil
}

// of prefixes an error with the side it is about.
func of(i int, err error) error {
	e := fault.New(fault.CodeOf(err), "%s: %w", "AB"[i:i+1], err)
	if hint := fault.HintOf(err); hint != "" {
		return e.Hint("%s", hint)
	}
	return e
}

// side parses one side: a plan file, a URL, a command line, or the name of a saved run.
func (o *options) side(text string) (s side, err error) {
	if strings.TrimSpace(text) == "" {
		return s, fault.New(fault.Usage, "the side is empty").
			Hint("give a URL, a quoted command line, a plan file or the name of a saved run")
	}
	if isPlan(text) {
		s.Side, err = o.plan(text)
		return s, err
	}
	words, err := split(text)
	if err != nil && !isFile(text) {
		return s, err
	}
	if len(words) > 1 && filepath.Base(words[0]) == "plimsoll" {
		words = words[1:]
	}
	switch {
	case len(words) == 0: // a file, or quotes around nothing
	case o.kind(words[0]) != nil:
		s.Side, err = o.line(o.kind(words[0]), words[1:])
		return s, err
	case o.house.KindOf(words[0]) != "":
		s.Side, err = o.line(o.kind(o.house.KindOf(words[0])), words)
		if len(words) == 1 {
			s.Name = redact.URL(text)
		}
		return s, err
	case strings.Contains(words[0], "://"):
		return s, fault.New(fault.Usage, "%q has an unknown scheme", redact.URL(words[0])).
			Hint("use http://, or quote a command line: \"bandwidth URL\"")
	case len(words) > 1 && !isFile(text):
		return s, o.noKind(words[0])
	}
	return o.savedRun(text)
}

// isFile reports whether a file of this name exists.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// isPlan reports whether a side names a plan file. A JSON file may also be a run document.
func isPlan(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return !strings.ContainsAny(name, " \t") || isFile(name)
	case ".json":
		f, err := os.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		head, _ := io.ReadAll(io.LimitReader(f, planfile.MaxSize))
		var p struct {
			Plan json.RawMessage `json:"plan"`
		}
		return json.Unmarshal(head, &p) == nil && bytes.HasPrefix(p.Plan, []byte(`"`))
	}
	return false
}

// plan returns the only run of a plan file.
func (o *options) plan(path string) (s comparisons.Side, err error) {
	f, err := os.Open(path)
	if err != nil {
		return s, fault.New(fault.Usage, "cannot read the plan file %s: %w", path, outfile.Reason(err)).
			Hint("create one with 'plimsoll plan http http://HOST/ > a.yaml'")
	}
	data, err := io.ReadAll(io.LimitReader(f, planfile.MaxSize+4))
	if err = errors.Join(err, f.Close()); err != nil {
		return s, fault.New(fault.Usage, "cannot read the plan file %s: %w", path, outfile.Reason(err))
	}
	file, err := planfile.Read(path, data, o.house.Kinds(), o.env.LookupEnv)
	if err != nil {
		return s, err
	}
	if n := len(file.Runs); n != 1 {
		return s, fault.New(fault.Usage, "the plan file %s has %d runs; a side is one run", path, n).
			Hint("put the run to compare into its own file")
	}
	one := file.Runs[0]
	s = comparisons.Side{Name: filepath.Base(path), Command: "plimsoll run " + filepath.Base(path)}
	s.Call = several.Call{Kind: one.Kind, Args: one.Arguments}
	s.Given, err = given(one.Settings)
	return s, err
}

// kind returns the kind of this name, or nil.
func (o *options) kind(name string) *run.Kind {
	for _, k := range o.house.Kinds() {
		if k.Name == name {
			return &k
		}
	}
	return nil
}

// noKind returns the error for a command line that does not start with a kind.
func (o *options) noKind(word string) error {
	var names []string
	for _, k := range o.house.Kinds() {
		names = append(names, k.Name)
	}
	e := fault.New(fault.Usage, "unknown command %q", redact.URL(word))
	if near := fault.Nearest(word, names); near != "" {
		return e.Hint("did you mean %s?", near)
	}
	return e.Hint("a command line starts with one of %s", strings.Join(names, ", "))
}

// line parses the rest of a command line after the name of its kind.
func (o *options) line(k *run.Kind, words []string) (s comparisons.Side, err error) {
	call, err := o.parse(k, words)
	if err != nil {
		return s, err
	}
	s = comparisons.Side{Call: call}
	s.Name = strings.TrimPrefix(comparisons.CommandOf(&call), "plimsoll ")
	return s, nil
}

// parse parses the flags and arguments of a kind's command.
func (o *options) parse(k *run.Kind, words []string) (call several.Call, err error) {
	settings := k.New().Settings()
	cmd := &cobra.Command{Use: k.Name, RunE: func(*cobra.Command, []string) error { return nil }}
	root := &cobra.Command{Use: "plimsoll"}
	root.SetErr(o.env.Stderr)
	root.AddCommand(cmd)
	command.AddFlags(cmd, settings)
	line := append([]string{k.Name}, words...)
	if k.OneDash {
		line = o.house.TwoDashes(line, cmd)
	}
	switch err := cmd.Flags().Parse(line[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return call, fault.New(fault.Usage, "--help cannot be compared").Hint("run 'plimsoll %s --help'", k.Name)
	case err != nil:
		return call, o.house.FlagErrors(line)(cmd, err)
	}
	call = several.Call{Kind: *k, Args: cmd.Flags().Args()}
	if k.Help.Args != "" {
		if err := command.AtMost(k.Help.Most, k.Help.Args)(cmd, call.Args); err != nil {
			return call, err
		}
	}
	call.Given, err = given(settings)
	return call, err
}

// given returns the settings that were given. It rejects the comparison's own.
func given(settings *setting.Set) (list []several.Given, err error) {
	var forms []string
	for _, one := range new(run.Forms).Settings() {
		forms = append(forms, one.Name)
	}
	for _, one := range settings.All() {
		texts := one.Texts()
		switch {
		case len(texts) == 0:
		case slices.Contains(forms, one.Name):
			return nil, fault.New(fault.Usage, "--%s controls the output of a single run", one.Name).
				Hint("remove it; 'plimsoll compare' has its own output flags")
		case one.Name == "seed":
			return nil, fault.New(fault.Usage, "--seed cannot be set for one side: both sides get the same traffic").
				Hint("set it for the comparison: plimsoll compare A B --seed N")
		default:
			list = append(list, several.Given{Name: one.Name, Values: slices.Clone(texts)})
		}
	}
	return list, nil
}

// both parses the settings of both sides, which follow --.
func (o *options) both(k *run.Kind, words []string, sides [2]side) ([]several.Given, error) {
	call, err := o.parse(k, words)
	switch {
	case err != nil:
		e := fault.New(fault.CodeOf(err), "both sides: %w", err)
		return nil, e.Hint("%s", fault.HintOf(err))
	case len(call.Args) > 0:
		return nil, fault.New(fault.Usage, "both sides: %q is not a flag", redact.URL(call.Args[0])).
			Hint("put only flags after --, such as -- --clients 50")
	}
	settings := k.New().Settings()
	for _, g := range call.Given {
		for i := range sides {
			twice := slices.ContainsFunc(sides[i].Given, func(own several.Given) bool { return own.Name == g.Name })
			if twice && !settings.Lookup(g.Name).Several {
				return nil, fault.New(fault.Usage, "--%s is given for %s and again for both sides", g.Name, "AB"[i:i+1]).
					Hint("remove one of them")
			}
		}
	}
	return call.Given, nil
}

// savedRun loads a saved run or a run document.
func (o *options) savedRun(name string) (s side, err error) {
	store, err := saved.Open(o.env.Getenv)
	if err != nil {
		return s, err
	}
	found, err := store.Load(name)
	if err != nil {
		return s, err
	}
	if found.Set != nil {
		return s, fault.New(fault.Usage, "%s is a set of several runs (%.40s); a side is one run", name,
			units.Clean(found.Set.Kind)).
			Hint("name one of its runs, such as %s/1", name)
	}
	return side{name: name, found: found}, nil
}
