package show_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What the facts say adds up, and what seems odd is explained.
func TestReportExplainsUnusualRows(t *testing.T) {
	for _, tt := range []struct {
		name       string
		edit       func(d *rundoc.OverheadDetail)
		want, none string
	}{
		{"the null client failed, too", func(d *rundoc.OverheadDetail) { d.Rows[0].Failed, d.Null.Failed = 1200, 7 },
			"1,200 attempts and 7 of the null client failed and are excluded from the values", "calls failed"},
		{"only the null client failed", func(d *rundoc.OverheadDetail) { d.Null.Failed = 7 },
			"0 attempts and 7 of the null client failed", "calls failed"},
		{"a null client without figures", func(d *rundoc.OverheadDetail) { *d.Null = rundoc.OverheadRow{Service: "null client"} }, "Verdict", "null client"},
		{"a null client below 0", func(d *rundoc.OverheadDetail) {
			d.Mode = rundoc.OverheadExec
			*d.Null = rundoc.OverheadRow{Service: "null client", SDKTime: sampleOf([]int64{-9_000, -9_000, -8_000})}
		}, "median −0.009 ms: the same request with net/http, without an SDK - The value is negative because", "-0.009"},
		{"a foreign client has no memory that is seen", func(d *rundoc.OverheadDetail) { d.Mode = rundoc.OverheadExec }, "Verdict", "per call allocations"},
		{"a foreign client's CPU", func(d *rundoc.OverheadDetail) { d.Mode = rundoc.OverheadExec },
			"CPU: mean user and system CPU time of the process", "without its idle use"},
		{"a foreign client's CPU that nobody knows", func(d *rundoc.OverheadDetail) {
			d.Mode = rundoc.OverheadExec
			for i := range d.Rows {
				d.Rows[i].CPUPerCallNS = 0
			}
		}, "Verdict", "CPU, µs"},
	} {
		run := overheadRun()
		edited(run, tt.edit)
		var out bytes.Buffer
		if err := report.Text(&out, run, show.Kind(), reporttest.Options()); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, tt.want) || strings.Contains(text, tt.none) {
			t.Errorf("%s: no %q, or %q, in\n%s", tt.name, tt.want, tt.none, text[:1500])
		}
	}
}

// What is 0.000 ms is not 0 for a program.
func TestCSVIsInNanoseconds(t *testing.T) {
	run := overheadRun()
	edited(run, func(d *rundoc.OverheadDetail) { d.Null.SDKTime = sampleOf([]int64{290, 300, 310}) })
	var out bytes.Buffer
	if err := report.CSV(&out, run, show.Kind()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\nnull client,,SDK time,3,0.000,0.000,,,,0.000,0,,61.0,5210.0,0,290,300,,,,310,20261120T080000Z-0a1b,2026-11-20T08:00:00Z,21300\n") {
		t.Error(out.String())
	}
}
