package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// keyDemo is the key of the fact that marks a run as a demo.
const keyDemo = "Demo"

// IsDemo reports whether a run measured a server that Plimsoll started for it, and nothing of the user's.
func (k Kind) IsDemo(run *rundoc.Run) bool {
	return run.Target.Embedded && (k.Demo == nil || k.Demo(run))
}

// against returns the target for the title. The address of a demo's server is left out.
func (v *View) against() string {
	url := units.Clean(v.Run.Target.URL)
	switch {
	case v.kind.IsDemo(v.Run):
		return "demo (built-in server)"
	case v.Run.Target.Embedded:
		return strings.TrimSpace(url + " (built-in server)")
	}
	return url
}

// DemoAnswer returns a fact that marks the run as a demo, with what the kind adds about its server. It is empty for
// other runs.
func (v *View) DemoAnswer(also string) Fact {
	if !v.kind.IsDemo(v.Run) {
		return Fact{}
	}
	f := Fact{Key: keyDemo, Value: "server and load generator share this machine"}
	if also != "" {
		f.Value += "; " + also
	}
	return f
}

// less returns the command that reduces the load so far that the generator's machine is no longer too busy, or "" if it
// was not the load that kept it busy.
func (k Kind) less(run *rundoc.Run) string {
	share := quietShare(run)
	if share == 0 && run.StartedLate() {
		share = 0.5
	}
	asked := run.Verdict.Validity == rundoc.Suspect && run.OpenModel() // and the rate was offered
	switch {
	case share == 0, asked:
		return ""
	case k.Less == nil:
		return k.lowerRate(run, share)
	}
	return k.Less(run, share)
}

// quiet is the CPU share that a suggested load aims for, and busy the share above which a lower load is suggested.
const (
	quiet = 0.5
	busy  = 0.8
)

// quietShare returns the share of the load that a run limited by its own machine should be repeated with, or 0.
func quietShare(run *rundoc.Run) float64 {
	if len(run.OwnReasons()) == 0 {
		return 0
	}
	used := run.Generator.CPUShare
	if all, known := run.MachineShare(); known && run.Target.SameHost {
		others, _ := run.OthersShare()
		used = max(used, all-others)
	}
	if used < busy {
		return 0
	}
	return quiet / used
}

// WithRate adds --rate to a command, rounded to two digits because it is an estimate. It returns "" if there is no
// command.
func WithRate(command string, perS float64) string {
	rounded, err := strconv.ParseFloat(fmt.Sprintf("%.2g", perS), 64)
	if command == "" || err != nil || rounded < 1 {
		return ""
	}
	return command + " --rate " + strconv.FormatFloat(rounded, 'f', -1, 64)
}

// WithTarget adds the URL of the run's target to a command, unless the target was the built-in server. It returns "" if
// the document does not have the whole URL, because that contains secrets.
func WithTarget(command string, run *rundoc.Run) string {
	if run.Target.Embedded {
		return command
	}
	return WithWord(command, run.Target.URL)
}

// WithWord adds arguments to a command, quoted for a shell. It returns "" if there is no command, or an argument is
// empty, was shortened or has control characters.
func WithWord(command string, words ...string) string {
	for _, word := range words {
		if command == "" || word == "" || strings.Contains(word, "…") || units.Clean(word) != word {
			return ""
		}
		command += " " + units.ShellWord(word)
	}
	return command
}

// A PlanFlag relates a setting in the plan of a run to its flag.
type PlanFlag struct {
	At      string // path in the plan document, such as "load.clients"
	Flag    string // "" if the setting follows from others, does not affect the measurement, or is given otherwise
	Default string // value without the flag, as the flag takes it
}

// Again adds the flags that reproduce the plan of a run to a command. It returns "" if the plan has settings that the
// flags cannot express.
func Again(command string, run *rundoc.Run, flags []PlanFlag) string {
	var plan map[string]any
	d := json.NewDecoder(bytes.NewReader(run.Plan))
	d.UseNumber() // a size may have more digits than a float64
	if d.Decode(&plan) != nil {
		return ""
	}
	for _, f := range flags {
		if value := taken(plan, f.At); f.Flag != "" {
			command = f.with(command, value)
		}
	}
	if !unset(plan) {
		return ""
	}
	return command
}

// with adds the flag to a command unless the value is the default.
func (f PlanFlag) with(command string, value any) string {
	text := ""
	switch value := value.(type) {
	case nil:
		return command
	case bool:
		text = strconv.FormatBool(value)
	case string:
		text = value
	case json.Number:
		text = f.figure(value)
	default: // a list
		if unset(value) {
			return command
		}
		return ""
	}
	words := strings.Fields(f.Flag)
	last := len(words) - 1
	switch {
	case text == f.Default, unset(value) && f.Default == "":
		return command
	case text == "true":
	case text == "": // no flag expresses it
		return ""
	case strings.HasSuffix(f.Flag, "="):
		words[last] += text
	default:
		words = append(words, text)
	}
	return WithWord(command, words...)
}

// figure formats a number as the flag takes it.
func (f PlanFlag) figure(n json.Number) string {
	i, err := n.Int64()
	switch {
	case err == nil && strings.HasSuffix(f.At, "_ns"):
		return time.Duration(i).String()
	case err == nil && strings.HasSuffix(f.At, "_bytes"):
		return SizeArgument(i)
	}
	return n.String()
}

// SizeArgument formats a number of bytes as an argument or a flag takes it.
func SizeArgument(n int64) string {
	switch {
	case n > 0 && n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "MiB"
	case n > 0 && n%(1<<10) == 0:
		return strconv.FormatInt(n>>10, 10) + "KiB"
	}
	return strconv.FormatInt(n, 10) + "B"
}

// taken removes the value at a path from a plan and returns it, or nil.
func taken(plan map[string]any, at string) any {
	name, rest, deeper := strings.Cut(at, ".")
	if !deeper {
		value := plan[name]
		delete(plan, name)
		return value
	}
	inside, _ := plan[name].(map[string]any)
	if inside == nil {
		return nil
	}
	return taken(inside, rest)
}

// unset reports whether a value in a plan means that the setting was not set.
func unset(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case string:
		return value == ""
	case json.Number:
		return value == "0"
	case []any:
		return len(value) == 0
	case map[string]any:
		for _, inside := range value {
			if !unset(inside) {
				return false
			}
		}
		return true
	}
	return false
}
