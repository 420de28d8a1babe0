package report

import "github.com/plimsoll/plimsoll/rundoc"

// words are what a workload calls its operations.
type words struct {
	one, many, short string
}

// wordsFor knows the workloads whose operations have a name that people use; those of any
// other are operations.
func wordsFor(workload string) words {
	switch workload {
	case "chat":
		return words{"message", "messages", "msg"}
	case rundoc.WorkloadUpdates:
		return words{"batch", "batches", "batches"}
	}
	return words{"operation", "operations", "op"}
}

// rate is a figure and its unit: "48,112 msg/s".
func (w words) rate(perS float64) string { return perSecond(perS) + " " + w.short + "/s" }
