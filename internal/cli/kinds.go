package cli

import (
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

// reportKind is how a run of this workload is shown. That of a workload which is not known has the
// common report.
func reportKind(workload string) report.Kind {
	switch workload {
	case rundoc.WorkloadChat:
		return chat.ReportKind()
	case rundoc.WorkloadBandwidth:
		return report.Bandwidth()
	case rundoc.WorkloadOverhead:
		return report.Overhead()
	case rundoc.WorkloadUpdates:
		return report.Updates()
	}
	return report.Kind{}
}
