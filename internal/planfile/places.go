package planfile

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// set gives the settings their values.
func (r *Run) set() error {
	for _, g := range r.given {
		for _, v := range g.values {
			if err := g.setting.Set(v.text); err != nil {
				return r.unset(g, v, err)
			}
		}
	}
	return nil
}

// unset words why a value is none of a setting. What a variable holds is not shown where it may be a secret.
func (r *Run) unset(g given, v value, err error) error {
	name := g.setting.Name
	if name == threshold {
		name = keyThresholds
	}
	if len(v.names) > 0 && (g.setting.Secret || slices.ContainsFunc(v.names, setting.MayBeSecret)) {
		return yamltree.Misread(r.variables.name, v.at, "%s: the value of ${%s} is invalid: it must be a %s", name,
			strings.Join(v.names, "} and ${"), g.setting.Kind).
			Hint("check the value of the variable; it is not shown because it may be secret")
	}
	e := r.variables.told(v.at, fmt.Errorf("%s: %w", name, err), r.plainly)
	if near := fault.Nearest(v.text, g.setting.Words); near != "" && fault.HintOf(e) == "" && !g.setting.Unended {
		return e.Hint("did you mean %s?", near)
	}
	return e
}

// resolve fills in what was not given and checks what was, as the command line does.
func (r *Run) resolve(kinds []run.Kind) error {
	if most := r.Kind.Help.Most; r.Kind.Help.Args != "" && len(r.argument) > most {
		return yamltree.Misread(r.variables.name, r.argument[most].at, "too many arguments for %s", r.Kind.Name).
			Hint("it takes %s", r.Kind.Help.Args)
	}
	if err := r.Command.Resolve(r.Arguments, r.isGiven); err != nil {
		return r.Misread(run.FigureOf(kinds, r.Kind, err))
	}
	return nil
}

func (r *Run) isGiven(name string) bool {
	return slices.ContainsFunc(r.given, func(g given) bool { return g.setting.Name == name })
}

// Misread is an error of the run's command, which speaks of flags, as one of the file: it speaks of settings, and names
// the place of the first that it is about.
func (r *Run) Misread(err error) error {
	return r.variables.told(r.about(err.Error()), err, r.plainly)
}

// about is the place in the file that a message is about.
func (r *Run) about(message string) yamltree.Place {
	first, at := len(message), r.at
	for _, g := range r.given {
		i := flagIn(message, g.setting.Name)
		if i < 0 || i >= first || len(g.values) == 0 {
			continue
		}
		first, at = i, r.told(g.setting, message)
	}
	if first < len(message) || len(r.argument) == 0 {
		return at
	}
	for _, word := range []string{"URL", "size", "argument", "://"} {
		if strings.Contains(message, word) {
			at = r.argument[0].at
		}
	}
	for _, a := range r.argument {
		if len(a.text) > 0 && strings.Contains(message, fmt.Sprintf("%q", a.text)) {
			return a.at
		}
	}
	return at
}

// told is the place of the value of a setting that a message is about: of several the one that it quotes, or names.
func (r *Run) told(s *setting.Setting, message string) yamltree.Place {
	var all []value
	for _, g := range r.given {
		if g.setting == s {
			all = append(all, g.values...)
		}
	}
	for _, v := range all {
		if len(all) > 1 && strings.Contains(message, strconv.Quote(v.text)) {
			return v.at
		}
	}
	for _, v := range all {
		name, _, _ := strings.Cut(v.text, "=") // --target-flag name=value
		if len(all) > 1 && name != "" && strings.Contains(message, name) {
			return v.at
		}
	}
	return all[0].at
}

// flagIn is where a flag stands in a message, or -1.
func flagIn(message, name string) int {
	for from := 0; ; {
		i := strings.Index(message[from:], "--"+name)
		if i < 0 {
			return -1
		}
		end := from + i + 2 + len(name)
		if end == len(message) || !isNameByte(message[end]) {
			return from + i
		}
		from = end
	}
}

func isNameByte(c byte) bool {
	return c == '-' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// plainly is a message that speaks of settings, and not of flags.
func (r *Run) plainly(message string) string {
	for _, s := range r.Settings.All() {
		if s.Name == "" {
			continue
		}
		for i := flagIn(message, s.Name); i >= 0; i = flagIn(message, s.Name) {
			message = message[:i] + message[i+2:]
		}
	}
	return message
}

// files makes sure that no two runs write the same file.
func (d *decoder) files(runs []*Run) error {
	writers := map[string]*Run{}
	for _, r := range runs {
		for _, g := range r.given {
			if !writes(g.setting) {
				continue
			}
			for _, v := range g.values {
				path := filepath.Clean(v.text)
				if other := writers[path]; other != nil && other != r {
					return yamltree.Misread(d.name, v.at, "%s: %s", g.setting.Name,
						d.hide(fmt.Sprintf("%q is also written by another run, %s", v.text, other.Name))).
						Hint("give each run its own file")
				}
				writers[path] = r
			}
		}
	}
	return nil
}

// writes reports whether a setting names a file that the run writes.
func writes(s *setting.Setting) bool { return s.Written && s.Kind == "file" }

// Jobs are the runs as run makes them. What makes several runs or none is refused.
func (f *File) Jobs(env *run.Env) ([]run.Job, error) {
	var jobs []run.Job
	for _, r := range f.Runs {
		job, err := r.Command.Job(env)
		if err != nil {
			return nil, r.Misread(err)
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// Given describes the settings that the file gives to a run, without what may be secret. Variables are named.
func (r *Run) Given() []string {
	parts := []string{}
	for _, a := range r.argument {
		parts = append(parts, r.variables.hide(redact.URL(a.text)))
	}
	for _, g := range r.given {
		for _, v := range g.values {
			shown, name := r.variables.hide(g.setting.Shown(v.text)), g.setting.Name
			if g.setting.Switch() && v.text == "true" {
				parts = append(parts, name)
				continue
			}
			parts = append(parts, name+" "+shown)
		}
	}
	return parts
}

// MarshalJSON writes what the set document has of a plan: of each run what the file gives to it, and
// its plan as it was resolved; without secrets.
func (f *File) MarshalJSON() ([]byte, error) {
	type oneRun struct {
		Name  string       `json:"name"`
		Kind  string       `json:"kind"`
		Given []string     `json:"given"`
		Plan  *setting.Set `json:"plan"`
	}
	runs := []oneRun{}
	for _, r := range f.Runs {
		runs = append(runs, oneRun{r.Name, r.Kind.Name, r.Given(), r.Command.Settings()})
	}
	return json.Marshal(struct {
		Schema string   `json:"schema"`
		File   string   `json:"file"`
		Runs   []oneRun `json:"runs"`
	}{Schema, filepath.Base(f.Name), runs})
}
