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

// yours stands between what a demo is and the command that measures something else.
const yours = ". Yours: "

// keyDemo is the key of the fact that says what the figures of a demo are of.
const keyDemo = "Demo"

// IsDemo reports whether a run measured a server that Plimsoll started for it, and nothing of the user's.
func (k Kind) IsDemo(run *rundoc.Run) bool {
	return run.Target.Embedded && (k.Demo == nil || k.Demo(run))
}

// against is what was measured, in the title. Where a demo's server listened tells nobody anything.
func (v *View) against() string {
	url := units.Clean(v.Run.Target.URL)
	switch {
	case v.kind.IsDemo(v.Run):
		return "demo, against a server of its own"
	case v.Run.Target.Embedded:
		return strings.TrimSpace(url + " (a server of its own)")
	}
	return url
}

// DemoAnswer says of a demo what its figures are of, with what else this kind has to say of its server, and how to
// measure another one; where the verdict doubts them for want of a quiet machine, what to do. Of other runs it is
// empty.
func (v *View) DemoAnswer(also string) Fact {
	if !v.kind.IsDemo(v.Run) {
		return Fact{}
	}
	f := Fact{Key: keyDemo, Value: "client and server share this machine"}
	if also != "" {
		f.Value += "; " + also
	}
	if v.kind.Own != "" {
		f.Value += yours + v.kind.Own
	}
	if len(v.Run.OwnReasons()) > 0 {
		f.Points = []string{v.forAValidOne()}
	}
	return f
}

// forAValidOne says what to do about a demo whose machine was not quiet.
func (v *View) forAValidOne() string {
	if less := v.kind.less(v.Run); less != "" {
		return "for a VALID one: " + less
	}
	return "for a VALID one: stop other programs, and run it again"
}

// NextCommand returns the command to try after a run: more clients, if it had too few; a lower load, if its own machine
// limited it; how to measure one's own server, after a demo; or what the kind says. "" means that none is known.
func (k Kind) NextCommand(run *rundoc.Run) string {
	more, less := k.more(run), k.less(run)
	switch {
	case more != "":
		return more
	case less != "":
		return less
	case k.IsDemo(run):
		return k.Own
	case k.Next != nil:
		return k.Next(run)
	case k.NoCourse == "":
		return "plimsoll report last --chart run.svg"
	}
	return ""
}

// more returns the command that makes the same load with as many clients as it needs, or "" if the run had enough.
func (k Kind) more(run *rundoc.Run) string {
	clients, files := run.ClientsNeeded()
	if clients == 0 || k.Repeat == nil {
		return ""
	}
	again := WithWord(k.Repeat(run), "--max-clients", strconv.Itoa(clients))
	if again != "" && files > 0 {
		again = fmt.Sprintf("ulimit -n %d; %s", files, again)
	}
	return again
}

// less is the command that makes as much less load as leaves the machine of a run quiet that it has kept too busy; ""
// where it was not the load that did that.
func (k Kind) less(run *rundoc.Run) string {
	if share := quietShare(run); share > 0 && k.Less != nil {
		return k.Less(run, share)
	}
	return ""
}

// How busy a run may keep its machine without doubts about its figures, with room for chance, and how busy it
// must have been for the load to be what has to change.
const (
	quiet = 0.5
	busy  = 0.8
)

// quietShare is the share of its load with which a run whose own machine limited it would leave that quiet, or 0.
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

// WithRate is a command, if there is one, with a rate of two digits: what was estimated has no more.
func WithRate(command string, perS float64) string {
	rounded, err := strconv.ParseFloat(fmt.Sprintf("%.2g", perS), 64)
	if command == "" || err != nil || rounded < 1 {
		return ""
	}
	return command + " --rate " + strconv.FormatFloat(rounded, 'f', -1, 64)
}

// WithTarget is a command with the URL of the run's target, unless Plimsoll started that; "" where the document has
// that without its secrets, so that nobody can measure it again by it.
func WithTarget(command string, run *rundoc.Run) string {
	if run.Target.Embedded {
		return command
	}
	return WithWord(command, run.Target.URL)
}

// WithWord is a command, if there is one, with more arguments, each as a shell takes it; "" where one of them is
// empty, was shortened, or is what no person would write.
func WithWord(command string, words ...string) string {
	for _, word := range words {
		if command == "" || word == "" || strings.Contains(word, "…") || units.Clean(word) != word {
			return ""
		}
		command += " " + units.ShellWord(word)
	}
	return command
}

// PlanFlag is a setting in the plan of a run, and the flag that asks for it.
type PlanFlag struct {
	At      string // its place in the plan document, its parts divided by points; or the part that it is all of
	Flag    string // "": it follows from others, is not about what is measured, or stands in the command otherwise
	Default string // what a run has that is made without the flag, as the flag takes it
}

// Again is a command, if there is one, with the flags that ask for what stands in the plan of a run; "" where that has
// more than these flags can say: the command would measure something else.
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

// with is a command, if there is one, with the flag, unless the value is what there is without it.
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
	case text == "": // which no flag says
		return ""
	case strings.HasSuffix(f.Flag, "="):
		words[last] += text
	default:
		words = append(words, text)
	}
	return WithWord(command, words...)
}

// figure is a number as the flag takes it.
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

// SizeArgument is a number of bytes as an argument or a flag takes it.
func SizeArgument(n int64) string {
	switch {
	case n > 0 && n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "MiB"
	case n > 0 && n%(1<<10) == 0:
		return strconv.FormatInt(n>>10, 10) + "KiB"
	}
	return strconv.FormatInt(n, 10) + "B"
}

// taken is what stands at a place in a plan, which no longer has it then; nil where there is nothing.
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

// unset reports whether a value in a plan stands for what was not set.
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
