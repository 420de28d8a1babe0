package report_test

import (
	"io"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

// kindOf is the kind of a run.
func kindOf(run *rundoc.Run) report.Kind {
	switch run.Workload {
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

func showText(w io.Writer, run *rundoc.Run, opt report.Options) error {
	return report.Text(w, run, kindOf(run), opt)
}

func showMarkdown(w io.Writer, run *rundoc.Run, opt report.Options) error {
	return report.Markdown(w, run, kindOf(run), opt)
}

func showCSV(w io.Writer, run *rundoc.Run) error { return report.CSV(w, run, kindOf(run)) }

func showChart(w io.Writer, run *rundoc.Run, format chart.Format) error {
	return report.Chart(w, run, kindOf(run), format)
}

func writeBlocks(w io.Writer, run *rundoc.Run, iteration bool) error {
	write, err := kindOf(run).RowsOf(run)
	if err != nil {
		return err
	}
	return write(w, iteration)
}
