package report_test

import (
	"io"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

// kindOf is the kind of a fixed run: a chat, or one that nobody knows.
func kindOf(run *rundoc.Run) report.Kind {
	if run.Workload == rundoc.WorkloadChat {
		return chat.ReportKind()
	}
	return report.Kind{}
}

func showText(w io.Writer, run *rundoc.Run, opt report.Options) error {
	return report.Text(w, run, kindOf(run), opt)
}

func showMarkdown(w io.Writer, run *rundoc.Run, opt report.Options) error {
	return report.Markdown(w, run, kindOf(run), opt)
}

func showChart(w io.Writer, run *rundoc.Run, format chart.Format) error {
	return report.Chart(w, run, kindOf(run), format)
}
