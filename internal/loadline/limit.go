package loadline

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Processors says of a probe that failed how busy the processors were of generator and target, and what that makes the
// limit.
func Processors(l *setdoc.Loadline, load float64, run *rundoc.Run) string {
	window := float64(run.Ledger.WindowNS) * float64(run.Host.CPUs)
	text := fmt.Sprintf("At %s, the lowest load that failed, the generator used %.0f%% of %.3g CPUs", Amount(l, load),
		100*run.Generator.CPUShare, run.Generator.CPUs)
	target, known := 0.0, run.Target.CPUUserNS+run.Target.CPUSystemNS > 0 && window > 0
	if known {
		target = float64(run.Target.CPUUserNS+run.Target.CPUSystemNS) / window
		text += fmt.Sprintf(", the target %.0f%% of %d", 100*target, run.Host.CPUs)
	}
	others, told := run.OthersShare()
	busy := run.Generator.MachineShare
	switch {
	case !told && busy > rundoc.MaxMachineShare:
		return text + fmt.Sprintf(". This machine was %.0f%% busy, and how much of that the target used is not known: nor "+
			"is what the limit is.", 100*busy)
	case run.SharedMachine() && others/busy > rundoc.MaxOthersShare:
		return text + fmt.Sprintf(": this machine was %.0f%% busy, and other programs used %.0f%% of that. Stop those, "+
			"and search again.", 100*busy, 100*others/busy)
	case run.SharedMachine():
		return text + fmt.Sprintf(": this machine was %.0f%% busy, and that is the limit. Target and generator on machines "+
			"of their own would each do more.", 100*busy)
	case known && target > rundoc.MaxCPUShare:
		return text + ": the target's processors are the limit."
	}
	if own := run.OwnReasons(); len(own) > 0 { // doubts of the generator: one gap makes some, and proves no limit
		return text + ": the generator may be the limit. " + units.Clean(own[0])
	}
	if !known {
		return text + ", and what the target used is not known."
	}
	return text + ": neither had used up its processors."
}
