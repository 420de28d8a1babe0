package compare

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Direct returns the arguments of a command line of cmd with the flags of the measured kind moved behind --, so that
// they can be written as for sweep and loadline. It changes only arguments that begin with the name of cmd.
func Direct(args []string, cmd *cobra.Command, kinds []run.Kind) []string {
	if len(args) == 0 || args[0] != cmd.Name() {
		return args
	}
	lookup := func(name string) *setting.Setting {
		for _, k := range kinds {
			if one := k.New().Settings().Lookup(name); one != nil {
				return one
			}
		}
		return nil
	}
	line, behind := args[1:], []string(nil)
	if dash := slices.Index(line, "--"); dash >= 0 {
		line, behind = line[:dash], line[dash+1:]
	}
	own, moved := []string{args[0]}, []string(nil)
	for i := 0; i < len(line); i++ {
		name, _, hasValue := strings.Cut(strings.TrimPrefix(line[i], "--"), "=")
		to, alone := &own, true
		if strings.HasPrefix(line[i], "--") {
			if flag := cmd.Flags().Lookup(name); flag != nil {
				alone = flag.NoOptDefVal != ""
			} else if one := lookup(name); one != nil {
				to, alone = &moved, one.Switch()
			}
		}
		*to = append(*to, line[i])
		if !alone && !hasValue && i+1 < len(line) {
			i++
			*to = append(*to, line[i])
		}
	}
	if len(moved) == 0 {
		return args
	}
	return slices.Concat(own, []string{"--"}, moved, behind)
}
