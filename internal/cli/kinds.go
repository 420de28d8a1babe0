package cli

import (
	"github.com/plimsoll/plimsoll/internal/report"
	bandwidthshow "github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	overheadshow "github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	updatesshow "github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// reportKind is how a run of this workload is shown. That of a workload which is not known has the
// common report.
func reportKind(workload string) report.Kind {
	switch workload {
	case rundoc.WorkloadChat:
		return chat.ReportKind()
	case rundoc.WorkloadBandwidth:
		return bandwidthshow.Kind()
	case rundoc.WorkloadOverhead:
		return overheadshow.Kind()
	case rundoc.WorkloadUpdates:
		return updatesshow.Kind()
	}
	return report.Kind{}
}
