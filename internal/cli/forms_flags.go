package cli

import (
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/run"
)

// formFlags makes flags of the forms.
func formFlags(set *pflag.FlagSet, f *run.Forms) {
	for _, one := range f.Settings() {
		flag := set.VarPF(one, one.Name, "", one.Help)
		if one.Switch() {
			flag.NoOptDefVal = "true"
		}
	}
}
