package run

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Kind is a kind of traffic, as the list of kinds has it.
type Kind struct {
	Name    string // of the command, and of the workload in the document
	Help    Help
	OneDash bool            // its flags may be written with one dash, as in the tool that people come from
	Offer   func() []string // what a shell offers as arguments; nil: files
	New     func() Command
	Report  report.Kind
	// LeavesUploads says that a run which is killed may leave uploads to a store behind: its command has one below it that
	// finds them.
	LeavesUploads bool
	// AmongMany are what a run takes for settings that nobody gave when it is one of many, as in a sweep.
	AmongMany []Preset
	// SweepBy names the figure by which a sweep compares settings, "" for the first of the kind's headline that is one.
	// value is what a setting was given, and "" if it was not; varied says whether it is one of those that are compared.
	// nil: always the first.
	SweepBy func(value func(name string) string, varied func(name string) bool) string
	// Compared are the figures that a comparison has as rows; nil: the common ones (ComparedFigures).
	Compared []string
	// BySlices says that the engine can hold a load of this kind still at any moment, so that the two sides of a
	// comparison take turns in slices of milliseconds. Of the others whole runs take turns: files, drained windows,
	// processes.
	BySlices bool
	// InTurn are what a side of a comparison takes for settings that nobody gave: it is measured often, and each time as
	// briefly as gives its figures.
	InTurn []Preset
}

// ComparedFigures are the rows of a comparison of this kind, where nobody chose others.
func (k *Kind) ComparedFigures() []string {
	if k.Compared != nil {
		return k.Compared
	}
	return []string{"rate", "p50", "p90", "p99", "failed", "cpu_per_operation"}
}

// Preset is the value of a setting, unless that or one of others was given.
type Preset struct {
	Setting, Value string
	Unless         []string
}

// Help is what a person reads of a kind's command.
type Help struct {
	Use, Short, Long, Example string
	// Most is how many arguments it takes, and Args says which; "": any number.
	Most int
	Args string
}

// Command is one call of a kind's command.
type Command interface {
	// Settings are all settings, once.
	Settings() *setting.Set
	// Resolve fills in what was not given and checks what was.
	Resolve(args []string, given func(name string) bool) error
	// Run makes the run, or several.
	Run(ctx context.Context, env *Env) error
	// Job is one run of this command, which has been resolved, for whoever makes several. It starts nothing, and
	// refuses what makes no run, or several.
	Job(env *Env) (Job, error)
}

// Comparing is a Command that may ask for a comparison in place of a run.
type Comparing interface {
	// Against is the comparison that was asked for, when the command has been resolved; nil: a run.
	Against() *Against
}

// Searching is a Command that may ask for a search in place of a run.
type Searching interface {
	// Search is the search that was asked for, when the command has been resolved; nil: a run.
	Search() *Search
}

// Search is the search for the highest rate at which calls of a kind's command meet an SLO.
type Search struct {
	SLO     []string      // as --slo has it
	Start   float64       // the first rate; 0: the kind's own
	Lowest  float64       // no rate below this is tried; 0: what can be told
	Length  time.Duration // of each probe
	Within  float64       // half of the interval's width, a share of the rate; 0: as a load line
	MaxTime time.Duration // of the whole search; 0: as a load line
	Own     []string      // the settings that are the search's, and of none of its probes
	Presets []Preset      // what a probe takes for settings that nobody gave, before what runs of many take
	Forms   Forms         // of the set
}

// Against is a comparison of a call of a kind's command with the same call in which some settings differ.
type Against struct {
	Baseline          map[string]string // the settings of the baseline in place of those that were given
	Own               []string          // the settings that neither side has
	Names             [2]string         // of the sides for a person, without secrets, the baseline first
	Figures           []string          // the rows; nil: the kind's
	Launches          int               // the most of them
	MinEffect         float64           // the smallest change that matters, a share; 0: any does
	FailIfWorse       bool
	RequireConclusive bool    // a change of MinEffect must have been possible to see
	BusyLimit         float64 // the share of the CPUs that others may use in a launch; 0: none is dropped; BusySuits
	Forms             Forms   // of the set
}

// BusySuits is the limit on what others use of the CPUs in a launch that suits the machine: half of what they leave
// before the first one. On a machine that is always busy the limit for a quiet one would leave no launch, and what is
// always there befalls both sides.
const BusySuits = -1

// BusyLimitSetting declares it; with says with what it is given, for the help.
func BusyLimitSetting(into *float64, with string) *setting.Setting {
	format := func(limit float64) string { return setting.FormatShare(max(0, limit)) }
	return setting.Of(into, "busy-limit", "share", with+"drop launches in which other processes used more than "+
		"this share of the CPUs; 0: drop none (default: half of what is idle before the first launch)",
		setting.ParseShare, format)
}
