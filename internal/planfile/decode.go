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
		Name: "plan file", Begin: "'plimsoll plan chat --clients 8' prints a plan to begin with",
		Shared: "what all runs share stands below defaults", Several: "several runs stand below runs",
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
		return nil, yamltree.Misread(d.name, root.At, "it is %s: a plan file begins with plan: %s", root.Form, Schema).
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
		return nil, yamltree.Misread(d.name, root.At, "it has no runs").
			Hint("write runs: and below it - kind: %s", d.kinds[0].Name)
	case runs.Form != yamltree.List:
		return nil, yamltree.Misread(d.name, runs.At, "runs is %s: it is a list of runs", runs.Form).
			Hint("begin each run with - kind: %s", d.kinds[0].Name)
	case len(runs.Items) == 0:
		return nil, yamltree.Misread(d.name, runs.At, "runs is empty").Hint("begin each run with - kind: %s", d.kinds[0].Name)
	case len(runs.Items) > maxRuns:
		return nil, yamltree.Misread(d.name, runs.At, "it has %d runs: at most %d", len(runs.Items), maxRuns)
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
		return e.Hint("the first: %s", hint)
	}
	return e
}

// version makes sure that the file is one for this program, before anything else in it is looked at.
func (d *decoder) version(root *yamltree.Node) error {
	n := root.Lookup(keyPlan)
	switch {
	case n == nil:
		return yamltree.Misread(d.name, root.At, "it does not say that it is a plan").Hint("begin it with plan: %s", Schema)
	case n.Form == yamltree.Text && n.Text == Schema:
		return nil
	case n.Form == yamltree.Text && strings.HasPrefix(n.Text, "plimsoll.plan/"):
		return yamltree.Misread(d.name, n.At,
			"it is a plan of another version of Plimsoll: %q, and this one reads %s", n.Text,
			Schema).
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
		err := yamltree.Misread(d.name, e.At, "%q is no key of %s", e.Key, what)
		if near := fault.Nearest(e.Key, known); near != "" {
			return err.Hint("did you mean %s?", near)
		}
		if what == theRun && d.setting(e.Key) {
			return err.Hint("it is a setting: write it below settings")
		}
		return err.Hint("its keys are %s", strings.Join(known, ", "))
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
		return nil, yamltree.Misread(d.name, n.At, "a run is %s: it must be a mapping", n.Form).
			Hint("write - kind: %s, and its other keys below that", d.kinds[0].Name)
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
	choice := "its kind is one of " + strings.Join(names, ", ")
	if len(k) == 0 {
		return yamltree.Misread(d.name, n.At, "the run does not say of which kind it is").Hint("%s", choice)
	}
	i := slices.Index(names, k[0].text)
	if i < 0 {
		e := yamltree.Misread(d.name, k[0].at, "%s", d.hide(fmt.Sprintf("%q is no kind of run", k[0].text)))
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
		return "", yamltree.Misread(d.name, v.at, "the name is empty").Hint("leave it out for one that is made of the kind")
	case strings.ContainsFunc(v.text, bad):
		return "", yamltree.Misread(d.name, v.at, "the name has a character that cannot be shown")
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
			Hint("leave the line out, or write a value behind it")
	case n.Form == yamltree.Text:
		v, err := d.fill(n)
		return []value{v}, err
	case n.Form == yamltree.Mapping:
		return nil, yamltree.Misread(d.name, n.At, "%s is %s, and takes %s", key, n.Form, takes(several)).
			Hint("put a value that has a colon and a space in quotes")
	case !several:
		return nil, yamltree.Misread(d.name, n.At, "%s is a list, and takes %s", key, takes(several))
	}
	var all []value
	for _, item := range n.Items {
		if item.Form != yamltree.Text {
			return nil, yamltree.Misread(d.name, item.At, "%s has %s in its list, and takes %s", key, item.Form, takes(several)).
				Hint("put a value that has a colon and a space in quotes")
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
	return "one value"
}

// settings reads settings of a run. Those below defaults may be another kind's.
func (d *decoder) settings(r *Run, n *yamltree.Node, key string) error {
	inherit := key == keyDefaults
	switch {
	case n == nil || n.Form == yamltree.Nothing && inherit:
		return nil
	case n.Form != yamltree.Mapping:
		return yamltree.Misread(d.name, n.At, "%s is %s: it must be a mapping", key, n.Form).
			Hint("write one setting a line below it, such as duration: 30s")
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
		values, err := d.texts(e.Value, e.Key, one.Several)
		if err != nil {
			return err
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
		return fault.New(fault.Usage, "%q begins with a dash", name).
			Hint("in a plan file a setting has the name of its flag, without the dashes: write %s", cmp.Or(bare, "its name"))
	case name == threshold:
		return fault.New(fault.Usage, "%q is no setting of a plan file", name).
			Hint("thresholds have a key of their own, beside settings: thresholds: [\"p99<50ms\"]")
	case slices.Contains(ofTheCommand(), name):
		return fault.New(fault.Usage, "%q is no setting of a plan file: it says what becomes of the results", name).
			Hint("say it when you run the plan: plimsoll run FILE --%s", name)
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
		of, help = "any kind", "docs/settings.md has all of them"
	}
	err := yamltree.Misread(d.name, e.At, "%q is no setting of %s", e.Key, of)
	if near := fault.Nearest(e.Key, names); near != "" {
		return err.Hint("did you mean %s?", near)
	}
	if len(elsewhere) > 0 {
		return err.Hint("it is one of %s; %s", strings.Join(elsewhere, ", "), help)
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
			return yamltree.Misread(d.name, e.At, "%q is a setting of no run here", e.Key).
				Hint("leave it out, or write it below the settings of the run that it is for")
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
			return yamltree.Misread(d.name, r.at, "two runs are called %q: the other begins in line %d",
				d.hide(r.Name), lines[r.Name]).
				Hint("give each a name of its own")
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
