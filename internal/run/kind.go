package run

import (
	"context"

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
}
