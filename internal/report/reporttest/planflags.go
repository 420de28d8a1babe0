package reporttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// PlanFlags holds the flags that a report's command repeats to the settings of the kind, which are those of a run for
// which nothing was given: each setting with a flag stands in the list, by its own place and name, or is one of those
// that a command cannot say (then there is no command); and a run with the defaults needs none of the flags.
func PlanFlags(t *testing.T, settings *setting.Set, flags []report.PlanFlag, unsaid ...string) {
	t.Helper()
	own := map[string]bool{} // flags of the list that are settings
	for _, one := range settings.All() {
		if one.Name == "" || one.Path == "" {
			continue
		}
		i := slices.IndexFunc(flags, func(f report.PlanFlag) bool {
			return f.At == one.Path || strings.HasPrefix(one.Path, f.At+".")
		})
		switch {
		case i < 0 && !slices.Contains(unsaid, one.Name):
			t.Errorf("--%s, at %s of the plan, is forgotten in the list", one.Name, one.Path)
		case i >= 0 && slices.Contains(unsaid, one.Name):
			t.Errorf("--%s stands in the list", one.Name)
		case i >= 0 && flags[i].Flag != "" && flags[i].Flag != "--"+one.Name:
			t.Errorf("%s is asked for by --%s, and not by %s", one.Path, one.Name, flags[i].Flag)
		case i >= 0:
			own[flags[i].Flag] = true
		}
	}
	for _, f := range flags {
		if f.Flag != "" && !own[f.Flag] {
			t.Errorf("%s, for what is at %s of the plan, is no setting", f.Flag, f.At)
		}
	}
	plan, err := settings.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Again("plimsoll", &rundoc.Run{Plan: plan}, flags); got != "plimsoll" {
		t.Errorf("of a run for which nothing was given: %q\n%s", got, plan)
	}
}
