package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// NextCommand returns the command to try after a run, or "": one that removes a reason of the verdict (more clients, a
// lower load, a longer window); how to measure one's own server, after a demo; what the kind offers; a threshold that
// follows from the result; or a chart if there is a problem that it can explain. There is none if operations started
// late because other programs used the CPUs: the same command may then succeed on an idle machine.
func (k Kind) NextCommand(run *rundoc.Run) string {
	if run.StartedLate() && othersUsedCPU(run) {
		return ""
	}
	for _, cure := range []func(*rundoc.Run) string{k.more, k.less, k.longer} {
		if command := cure(run); command != "" {
			return command
		}
	}
	switch {
	case k.IsDemo(run):
		return k.Own
	case k.Next != nil:
		if command := k.Next(run); command != chartOfRun || hasProblem(run) {
			return command
		}
		return ""
	}
	if command := k.withThreshold(run); command != "" {
		return command
	}
	if k.NoCourse == "" && hasProblem(run) {
		return chartOfRun
	}
	return ""
}

// chartOfRun is the command that draws the course of a run.
const chartOfRun = "plimsoll report last --chart run.svg"

// hasProblem reports whether a run is not trusted, operations failed or were not sent, or it missed a threshold.
func hasProblem(run *rundoc.Run) bool {
	if v := run.Verdict.Validity; v != rundoc.Valid && v != rundoc.Seen {
		return true
	}
	notOK := func(o rundoc.Operation) bool { return o.Failed+o.Unsent+o.Unfinished > 0 }
	missed := func(t rundoc.Threshold) bool { return !t.Met }
	return slices.ContainsFunc(run.Operations, notOK) || slices.ContainsFunc(run.Thresholds, missed)
}

// othersUsedCPU reports whether other programs used much of the CPU time of the generator's machine.
func othersUsedCPU(run *rundoc.Run) bool {
	busy, measured := run.MachineShare()
	others, known := run.OthersShare()
	return measured && known && others/busy > rundoc.MaxOthersShare
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

// plannedLoad is the part of a plan that decides whether and how its load can be repeated.
type plannedLoad struct {
	Load struct {
		RatePerS     float64           `json:"rate_per_s"`
		DurationNS   int64             `json:"duration_ns"`
		Operations   int64             `json:"operations"`
		ThinkNS      int64             `json:"think_time_ns"`
		StartClients int64             `json:"start_clients"`
		ClientStages []json.RawMessage `json:"client_stages"`
	} `json:"load"`
}

// repeat returns the command that repeats the load of a run, or "" if flags cannot express it.
func (k Kind) repeat(run *rundoc.Run) (command string, load plannedLoad) {
	if k.Repeat == nil || json.Unmarshal(run.Plan, &load) != nil {
		return "", load
	}
	if l := &load.Load; l.ThinkNS != 0 || l.StartClients != 0 || len(l.ClientStages) > 0 {
		return "", load // Repeat is for loads without them
	}
	return k.Repeat(run), load
}

// lowerRate returns the command that repeats a run of the open model at a share of its rate, or "".
func (k Kind) lowerRate(run *rundoc.Run, share float64) string {
	command, plan := k.repeat(run)
	rate := share * plan.Load.RatePerS
	if rate < 1 {
		return ""
	}
	return withFlag(command, "--rate", strconv.FormatFloat(math.Floor(rate), 'f', -1, 64))
}

// longer returns the command with a longer window after a run whose window was too short, or "".
func (k Kind) longer(run *rundoc.Run) string {
	const enough = 10 * time.Second
	window := windowOf(run)
	if window <= 0 || window >= rundoc.MinWindowNS || run.Verdict.Validity == rundoc.Invalid {
		return ""
	}
	command, plan := k.repeat(run)
	switch d := plan.Load.DurationNS; {
	case plan.Load.Operations > 0:
		return ""
	case d > 0 && d < rundoc.MinWindowNS:
		return withFlag(command, "--duration", enough.String())
	}
	return command
}

// withFlag sets a flag of a command, if there is one.
func withFlag(command, flag, value string) string {
	words := shellWords(command)
	if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
		words = slices.Delete(words, i, i+2)
	}
	return WithWord(strings.Join(words, " "), flag, value)
}

// withThreshold returns the command that repeats a trusted run with a threshold a little above its p99, or "".
func (k Kind) withThreshold(run *rundoc.Run) string {
	trusted := run.Verdict.Validity == rundoc.Valid || run.Verdict.Validity == rundoc.Seen
	if !trusted || k.Mixed || run.Interrupted || len(run.Thresholds) > 0 {
		return ""
	}
	p99, err := p99Of(run)
	if err != nil || p99 == nil || *p99 <= 0 {
		return ""
	}
	command, _ := k.repeat(run)
	return WithWord(command, "--threshold", "p99<"+roundLimit(*p99))
}

// roundLimit returns a round limit of 1.2 to 2.3 times a time, as a flag takes it.
func roundLimit(ns int64) string {
	const margin = 1.2
	least := margin * float64(ns)
	ten := math.Pow(10, math.Floor(math.Log10(least)))
	for _, step := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if step*ten >= least {
			return limitText(step * ten)
		}
	}
	return limitText(10 * ten)
}

func limitText(ns float64) string {
	return strings.Replace(time.Duration(math.Round(ns)).String(), "µ", "u", 1)
}
