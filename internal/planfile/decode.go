package planfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// Schema names the version of the files that this package reads and writes.
const Schema = "plimsoll.plan/v1"

const (
	maxRuns = 1000
	maxName = 80 // characters of a run's name
)

// File is a plan that was read: each of its runs is checked, and none has begun.
type File struct {
	Name string // for a person
	Runs []*Run
}

// Run is one run of a plan.
type Run struct {
	Name      string // for a person; no two runs have the same
	Kind      run.Kind
	Arguments []string // what stands behind the command without a flag
	Command   run.Command
	Settings  *setting.Set // of Command, with what was given

	at        yamltree.Place
	argument  []value // of Arguments
	given     []given
	variables *variables
}

// given is a setting that the file gives.
type given struct {
	setting *setting.Setting
	at      yamltree.Place // of its key
	values  []value
	inherit bool // it stands below defaults
}

// The keys of a file and of a run in it.
const (
	keyPlan       = "plan"
	keyDefaults   = "defaults"
	keyThresholds = "thresholds"
	keyRuns       = "runs"
	keyName       = "name"
	keyKind       = "kind"
	keyArguments  = "arguments"
	keySettings   = "settings"
)

// threshold is the setting that the thresholds of a file are given to.
const threshold = "threshold"

// MaxSize bounds a plan file.
const MaxSize = yamltree.MaxSize

// sort is what errors say of plan files.
func sort() *yamltree.Sort {
	return &yamltree.Sort{
		Name: "plan file", Begin: "create one with 'plimsoll plan chat --clients 8'",
		Shared: "put settings that all runs share under defaults", Several: "list several runs under runs",
	}
}

// Read reads and checks a plan file, all of it, for these kinds of traffic. name is what the file is called in errors.
func Read(name string, data []byte, kinds []run.Kind, lookup func(string) (string, bool)) (*File, error) {
	root, err := sort().Parse(name, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{kinds: kinds, variables: variables{name: name, lookup: lookup}}
	return d.file(root)
}

// decoder makes runs of a tree.
type decoder struct {
	kinds []run.Kind
	variables
}

func (d *decoder) file(root *yamltree.Node) (*File, error) {
	if root.Form != yamltree.Mapping {
		return nil, yamltree.Misread(d.name, root.At, "the file is %s, not a mapping that starts with plan: %s", root.Form,
			Schema).
			Hint("%s", sort().Begin)
	}
	if err := d.version(root); err != nil {
		return nil, err
	}
	if err := d.keys(root, "a plan file", keyPlan, keyDefaults, keyThresholds, keyRuns); err != nil {
		return nil, err
	}
	runs := root.Lookup(keyRuns)
	switch {
	case runs == nil:
		return nil, yamltree.Misread(d.name, root.At, "runs is missing").
			Hint("add runs: with a list of runs, such as - kind: %s", d.kinds[0].Name)
	case runs.Form != yamltree.List:
		return nil, yamltree.Misread(d.name, runs.At, "runs is %s, not a list", runs.Form).
			Hint("start each run with - kind: %s", d.kinds[0].Name)
	case len(runs.Items) == 0:
		return nil, yamltree.Misread(d.name, runs.At, "runs is empty").Hint("start each run with - kind: %s", d.kinds[0].Name)
	case len(runs.Items) > maxRuns:
		return nil, yamltree.Misread(d.name, runs.At, "it has %d runs: the maximum is %d", len(runs.Items), maxRuns)
	}
	made := &File{Name: d.name}
	var wrong []error
	for _, item := range runs.Items {
		r, err := d.run(root, item)
		if err == nil {
			made.Runs = append(made.Runs, r)
			err = r.resolve(d.kinds)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := several(wrong); err != nil {
		return nil, err
	}
	if err := d.used(root, made.Runs); err != nil {
		return nil, err
	}
	if err := d.names(made.Runs); err != nil {
		return nil, err
	}
	return made, d.files(made.Runs)
}

// several is what is wrong with runs, the first of each, in one line; nil when nothing is. What runs share is told
// once, and the hint is that of the first.
func several(wrong []error) error {
	const told = 4
	var all []string
	for _, err := range wrong {
		if text := err.Error(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	switch n := len(all); {
	case n == 0:
		return nil
	case n == 1:
		return wrong[0]
	case n > told:
		all = append(all[:told], fmt.Sprintf("and %d more", n-told))
	}
	e := fault.New(fault.CodeOf(wrong[0]), "%s", strings.Join(all, "; "))
	if hint := fault.HintOf(wrong[0]); hint != "" {
		return e.Hint("for the first: %s", hint)
	}
	return e
}

// version makes sure that the file is one for this program, before anything else in it is looked at.
func (d *decoder) version(root *yamltree.Node) error {
	n := root.Lookup(keyPlan)
	switch {
	case n == nil:
		return yamltree.Misread(d.name, root.At, "plan is missing").Hint("start the file with plan: %s", Schema)
	case n.Form == yamltree.Text && n.Text == Schema:
		return nil
	case n.Form == yamltree.Text && strings.HasPrefix(n.Text, "plimsoll.plan/"):
		return yamltree.Misread(d.name, n.At,
			"the plan has the version %q, but this Plimsoll reads %s", n.Text, Schema).
			Hint("run it with the version of Plimsoll that it was written for")
	case n.Form == yamltree.Text:
		return yamltree.Misread(d.name, n.At, "plan is %q: it must be %s", n.Text, Schema)
	}
	return yamltree.Misread(d.name, n.At, "plan is %s: it must be %s", n.Form, Schema)
}

// keys refuses a key that a mapping cannot have.
func (d *decoder) keys(n *yamltree.Node, what string, known ...string) error {
	for _, e := range n.Entries {
		if slices.Contains(known, e.Key) {
			continue
		}
		err := yamltree.Misread(d.name, e.At, "unknown key %q of %s", e.Key, what)
		if near := fault.Nearest(e.Key, known); near != "" {
			return err.Hint("did you mean %s?", near)
		}
		if what == theRun && d.setting(e.Key) {
			return err.Hint("it is a setting: move it under settings")
		}
		return err.Hint("the keys are %s", strings.Join(known, ", "))
	}
	return nil
}

const theRun = "a run"

// setting reports whether any kind has a setting of that name.
func (d *decoder) setting(name string) bool {
	return slices.ContainsFunc(d.kinds, func(k run.Kind) bool { return k.New().Settings().Lookup(name) != nil })
}

// run reads one run: what is below defaults first, what it says itself after that.
func (d *decoder) run(root, n *yamltree.Node) (*Run, error) {
	if n.Form != yamltree.Mapping {
		return nil, yamltree.Misread(d.name, n.At, "a run is %s, not a mapping", n.Form).
			Hint("start it with - kind: %s, and add its other keys below", d.kinds[0].Name)
	}
	if err := d.keys(n, theRun, keyName, keyKind, keyArguments, keySettings, keyThresholds); err != nil {
		return nil, err
	}
	r := &Run{at: n.At, variables: &d.variables}
	if err := d.kind(r, n); err != nil {
		return nil, err
	}
	name, err := d.texts(n.Lookup(keyName), keyName, false)
	if err != nil {
		return nil, err
	}
	if len(name) > 0 {
		if r.Name, err = d.named(name[0]); err != nil {
			return nil, err
		}
	}
	if r.argument, err = d.texts(n.Lookup(keyArguments), keyArguments, true); err != nil {
		return nil, err
	}
	for _, a := range r.argument {
		r.Arguments = append(r.Arguments, a.text)
	}
	r.Command = r.Kind.New()
	r.Settings = r.Command.Settings()
	if err := d.settings(r, root.Lookup(keyDefaults), keyDefaults); err != nil {
		return nil, err
	}
	if err := d.settings(r, n.Lookup(keySettings), keySettings); err != nil {
		return nil, err
	}
	for _, from := range []*yamltree.Node{root.Lookup(keyThresholds), n.Lookup(keyThresholds)} {
		if err := d.thresholds(r, from); err != nil {
			return nil, err
		}
	}
	return r, r.set()
}

func (d *decoder) kind(r *Run, n *yamltree.Node) error {
	k, err := d.texts(n.Lookup(keyKind), keyKind, false)
	if err != nil {
		return err
	}
	var names []string
	for _, one := range d.kinds {
		names = append(names, one.Name)
	}
	choice := "the kinds are " + strings.Join(names, ", ")
	if len(k) == 0 {
		return yamltree.Misread(d.name, n.At, "the run has no kind").Hint("%s", choice)
	}
	i := slices.Index(names, k[0].text)
	if i < 0 {
		e := yamltree.Misread(d.name, k[0].at, "%s", d.hide(fmt.Sprintf("unknown kind %q", k[0].text)))
		if near := fault.Nearest(k[0].text, names); near != "" {
			return e.Hint("did you mean %s?", near)
		}
		return e.Hint("%s", choice)
	}
	r.Kind = d.kinds[i]
	return nil
}

// named is the name of a run, for one line of a terminal.
func (d *decoder) named(v value) (string, error) {
	bad := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case strings.TrimSpace(v.text) == "":
		return "", yamltree.Misread(d.name, v.at, "the name is empty").Hint("remove it to use a name made from the kind")
	case strings.ContainsFunc(v.text, bad):
		return "", yamltree.Misread(d.name, v.at, "the name has a character that cannot be printed")
	case len([]rune(v.text)) > maxName:
		return "", yamltree.Misread(d.name, v.at, "the name is longer than %d characters", maxName)
	}
	return v.text, nil
}

// texts are the values of a node, each with its variables put in; several: a list is welcome.
func (d *decoder) texts(n *yamltree.Node, key string, several bool) ([]value, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.Form == yamltree.Nothing:
		return nil, yamltree.Misread(d.name, n.At, "%s has no value", key).
			Hint("remove the line, or add a value")
	case n.Form == yamltree.Text:
		v, err := d.fill(n)
		return []value{v}, err
	case n.Form == yamltree.Mapping:
		return nil, yamltree.Misread(d.name, n.At, "%s is %s, not %s", key, n.Form, takes(several)).
			Hint("quote a value that contains a colon and a space")
	case !several:
		return nil, yamltree.Misread(d.name, n.At, "%s is a list, not %s", key, takes(several))
	}
	var all []value
	for _, item := range n.Items {
		if item.Form != yamltree.Text {
			return nil, yamltree.Misread(d.name, item.At, "the list of %s contains %s: it must be %s", key, item.Form,
				takes(several)).
				Hint("quote a value that contains a colon and a space")
		}
		v, err := d.fill(item)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func takes(several bool) string {
	if several {
		return "a value or a list of values"
	}
	return "a single value"
}

// settings reads settings of a run. Those below defaults may be another kind's.
func (d *decoder) settings(r *Run, n *yamltree.Node, key string) error {
	inherit := key == keyDefaults
	switch {
	case n == nil || n.Form == yamltree.Nothing && inherit:
		return nil
	case n.Form != yamltree.Mapping:
		return yamltree.Misread(d.name, n.At, "%s is %s, not a mapping", key, n.Form).
			Hint("write one setting per line, such as duration: 30s")
	}
	for _, e := range n.Entries {
		if err := refused(e.Key); err != nil {
			return d.told(e.At, err, func(s string) string { return s })
		}
		one := r.Settings.Lookup(e.Key)
		switch {
		case one == nil && inherit && d.setting(e.Key):
			continue
		case one == nil:
			return d.unknown(r, e, inherit)
		}
		if err := refused(one.Name); err != nil { // by another of its names
			return d.told(e.At, err, func(s string) string { return s })
		}
		values, err := d.texts(e.Value, e.Key, one.Several)
		if err != nil {
			return err
		}
		if len(values) == 1 {
			one = one.For(values[0].text)
		}
		r.given = slices.DeleteFunc(r.given, func(g given) bool { return g.setting == one })
		r.given = append(r.given, given{setting: one, at: e.At, values: values, inherit: inherit})
	}
	return nil
}

// thresholds adds thresholds to those of a run.
func (d *decoder) thresholds(r *Run, n *yamltree.Node) error {
	values, err := d.texts(n, keyThresholds, true)
	if err != nil || len(values) == 0 {
		return err
	}
	one := r.Settings.Lookup(threshold)
	if one == nil {
		return yamltree.Misread(d.name, n.At, "%s has no thresholds", r.Kind.Name)
	}
	r.given = append(r.given, given{setting: one, at: n.At, values: values})
	return nil
}

// refused is what is wrong with a name that is a flag, and no setting in a file.
func refused(name string) error {
	bare := strings.TrimLeft(name, "-")
	switch {
	case bare != name:
		return fault.New(fault.Usage, "%q starts with a dash", name).
			Hint("settings have the name of their flag without dashes: write %s", cmp.Or(bare, "its name"))
	case name == threshold:
		return fault.New(fault.Usage, "%q is not a setting of a plan file", name).
			Hint("thresholds have their own key, next to settings: thresholds: [\"p99<50ms\"]")
	case slices.Contains(ofTheCommand(), name):
		return fault.New(fault.Usage, "%q is not a setting of a plan file: it controls the output", name).
			Hint("set it when you run the plan: plimsoll run FILE --%s", name)
	}
	return nil
}

// ofTheCommand are the flags that say in which form results are shown, and where they are kept: they are of the command
// that runs the plan, whose results are one set. Labels a run may have of its own.
func ofTheCommand() (names []string) {
	for _, s := range new(run.Forms).Settings() {
		if !s.Several {
			names = append(names, s.Name)
		}
	}
	return names
}

// unknown refuses a setting that the kind does not have.
func (d *decoder) unknown(r *Run, e *yamltree.Entry, inherit bool) error {
	of, help := r.Kind.Name, "run 'plimsoll "+r.Kind.Name+" --help' for its settings"
	var names, elsewhere []string
	for _, k := range d.kinds {
		set := k.New().Settings()
		for _, s := range set.All() {
			if s.Name != "" && refused(s.Name) == nil && (inherit || k.Name == r.Kind.Name) {
				names = append(names, s.Name)
			}
		}
		if set.Lookup(e.Key) != nil {
			elsewhere = append(elsewhere, k.Name)
		}
	}
	if inherit {
		of, help = "any kind", "docs/settings.md lists all settings"
	}
	err := yamltree.Misread(d.name, e.At, "unknown setting %q of %s", e.Key, of)
	if near := fault.Nearest(e.Key, names); near != "" {
		return err.Hint("did you mean %s?", near)
	}
	if len(elsewhere) > 0 {
		return err.Hint("it is a setting of %s; %s", strings.Join(elsewhere, ", "), help)
	}
	return err.Hint("%s", help)
}

// used refuses a default that no run takes.
func (d *decoder) used(root *yamltree.Node, runs []*Run) error {
	defaults := root.Lookup(keyDefaults)
	if defaults == nil {
		return nil
	}
	for _, e := range defaults.Entries {
		if !slices.ContainsFunc(runs, func(r *Run) bool { return r.Settings.Lookup(e.Key) != nil }) {
			return yamltree.Misread(d.name, e.At, "no run has the setting %q", e.Key).
				Hint("remove it, or move it to the settings of its run")
		}
	}
	return nil
}

// names gives each run a name of its own.
func (d *decoder) names(runs []*Run) error {
	lines := map[string]int{}
	of := map[string]int{}
	for _, r := range runs {
		if r.Name != "" && lines[r.Name] > 0 {
			return yamltree.Misread(d.name, r.at, "two runs have the name %q, the other one at line %d",
				d.hide(r.Name), lines[r.Name]).
				Hint("give each run its own name")
		}
		if r.Name != "" {
			lines[r.Name] = r.at.Line
			continue
		}
		of[r.Kind.Name]++
	}
	count := map[string]int{}
	for _, r := range runs {
		if r.Name != "" {
			continue
		}
		count[r.Kind.Name]++
		name := r.Kind.Name
		if of[name] > 1 {
			name = fmt.Sprintf("%s %d", name, count[name])
		}
		for lines[name] > 0 { // somebody has given it to another
			name += "'"
		}
		r.Name, lines[name] = name, r.at.Line
	}
	return nil
}
