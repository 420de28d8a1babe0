package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// KindNames are those of the kinds of traffic.
func KindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

// URLFlags are the names of all flags, of any command, that take a URL.
func URLFlags() []string {
	found := map[string]bool{}
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "url" {
				found[f.Name] = true
			}
		})
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(newRoot(&Env{}))
	return slices.Sorted(maps.Keys(found))
}
