package overhead

import (
	"os"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// against is the comparison of the command of --exec with another one: a process each, in turn, launch by launch.
type against struct {
	Command    string // or the file of a baseline, which has its command
	Launches   int
	FailIf     string
	BusyLimit  float64
	Conclusive bool

	minEffect bool   // --min-effect was given
	line      string // the command, also of a baseline
}

// settings declares them; they are in no plan, as they are no part of a run.
func (a *against) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&a.Command, "against", "command",
			"with --exec: run this command, or that of a --save-baseline .json, in turn and compare the two").
			ShownBy(redact.Command).OfResults(),
		setting.Count(&a.Launches, "repeat", "count", "repeat the run this many times and report how much the "+
			"launches differ; with --against: maximum number of launches").Formerly("launches").
			Between(1, mostLaunches).OfResults(),
		run.BusyLimitSetting(&a.BusyLimit, "with --against: ").OfResults(),
		setting.Text(&a.FailIf, "fail-if", "what", "with --against: exit status 3 if a metric of --exec is worse").
			OneOf(worseThan).OmitZero().OfResults(),
		setting.Switch(&a.Conclusive, "require-conclusive",
			"with --against: exit status 4 if a change of --min-effect could not have been detected").OfResults(),
	}
}

const (
	defaultLaunches = 30
	mostLaunches    = 1000
	worseThan       = "worse" // of --fail-if
)

// ownFlags are the settings that belong to the comparison, and to neither side.
func ownFlags() []string {
	return []string{"against", "repeat", "busy-limit", "fail-if", "require-conclusive", "min-effect"}
}

// resolve checks what is asked for, and finds the command of a baseline.
func (a *against) resolve(c *Command, given func(flag string) bool) error {
	if !given("against") {
		for _, flag := range []string{"repeat", "busy-limit", "fail-if", "require-conclusive"} {
			if given(flag) {
				return fault.New(fault.Usage, "--%s needs --against", flag).
					Hint("add --against with the command to compare with, or remove it")
			}
		}
		return nil
	}
	p := &c.Plan
	switch {
	case !given("exec"):
		return fault.New(fault.Usage, "--against needs --exec").
			Hint("for example --exec 'python3 new.py' --against 'python3 old.py'")
	case strings.TrimSpace(a.Command) == "":
		return fault.New(fault.Usage, "--against is empty").Hint("for example --against 'python3 old.py'")
	}
	for _, flag := range []string{"baseline", "save-baseline", "threshold"} {
		if given(flag) {
			return fault.New(fault.Usage, "--%s cannot be combined with --against, which makes several runs", flag).
				Hint("remove one of them")
		}
	}
	a.minEffect = given("min-effect")
	if a.Conclusive && !a.minEffect {
		return fault.New(fault.Usage, "--require-conclusive needs --min-effect").
			Hint("add the smallest relevant change, for example --min-effect 5%%")
	}
	var err error
	if a.line, err = a.command(); err != nil {
		return err
	}
	if strings.TrimSpace(a.line) == strings.TrimSpace(p.Exec) {
		return fault.New(fault.Usage, "--exec and --against are the same command").
			Hint("to compare a command with itself, append a comment (' #') to one of them")
	}
	return nil
}

// command is the one that --against names: what ends in .json and has no blanks is the file of a baseline.
func (a *against) command() (string, error) {
	path := strings.TrimSpace(a.Command)
	if !strings.HasSuffix(path, ".json") || strings.ContainsAny(path, " \t\n") {
		return a.Command, nil
	}
	if _, err := os.Stat(path); err != nil {
		return "", fault.New(fault.Usage, "--against %s: no such file", path).
			Hint("use a file written by --save-baseline, or a command")
	}
	doc, err := rundoc.ReadFile(path)
	if err != nil {
		return "", fault.New(fault.Usage, "--against %s: %w", path, err).Hint("use a file written by --save-baseline")
	}
	d := doc.Overhead()
	switch {
	case d == nil || d.Mode != rundoc.OverheadExec || d.Command == "":
		return "", fault.New(fault.Usage, "--against %s: the file does not contain a run of a command (--exec)", path).
			Hint("use --baseline to compare with its values, or give a command")
	case !d.CommandWhole:
		return "", fault.New(fault.Usage, "--against %s: the command cannot be run, because possible secrets were "+
			"removed from it (%s)", path, d.Command).Hint("give the command: --against 'COMMAND'")
	}
	return d.Command, nil
}

// Against is the comparison that was asked for; nil: a run.
func (c *Command) Against() *run.Against {
	a := &c.against
	if a.line == "" {
		return nil
	}
	asked := &run.Against{
		Baseline: map[string]string{"exec": a.line}, Own: ownFlags(),
		Names:   [2]string{redact.Command(a.line), redact.Command(c.Plan.Exec)},
		Figures: []string{"sdk.geomean", "cpu.geomean", "failed"}, Launches: a.Launches, FailIfWorse: a.FailIf == worseThan,
		RequireConclusive: a.Conclusive, BusyLimit: a.BusyLimit, Forms: c.Forms,
	}
	if a.minEffect {
		asked.MinEffect = c.Plan.MinEffect
	}
	return asked
}
