package loadline

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Processors describes the CPU use of generator and target in a probe that failed, and what it means for the limit.
func Processors(l *setdoc.Loadline, load float64, run *rundoc.Run) string {
	window := float64(run.Ledger.WindowNS) * float64(run.Host.CPUs)
	text := fmt.Sprintf("At %s, the lowest load that failed, the load generator used %.0f%% of %.3g CPUs", Amount(l, load),
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
		return text + fmt.Sprintf(". This machine was %.0f%% busy. The target's share of that is unknown, so the limit is "+
			"unknown, too.", 100*busy)
	case run.SharedMachine() && others/busy > rundoc.MaxOthersShare:
		return text + fmt.Sprintf(". This machine was %.0f%% busy, and other programs used %.0f%% of that. Stop them and "+
			"search again.", 100*busy, 100*others/busy)
	case run.SharedMachine():
		return text + fmt.Sprintf(". The limit is this machine, which was %.0f%% busy. Run target and load generator on "+
			"separate machines.", 100*busy)
	case known && target > rundoc.MaxCPUShare:
		return text + ". The limit is the target's CPU."
	}
	if own := run.OwnReasons(); len(own) > 0 { // doubts of the generator: one gap makes some, and proves no limit
		return text + ". The load generator may be the limit: " + units.Clean(own[0])
	}
	if !known {
		return text + ". The CPU use of the target is unknown."
	}
	return text + ". CPU is not the limit of either."
}
