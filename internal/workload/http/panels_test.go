package http_test

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/http"
)

func TestPanels(t *testing.T) {
	for _, name := range []string{"demo", "flow", "bodies"} {
		t.Run(name, func(t *testing.T) {
			run := reporttest.Document(t, name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, http.ReportKind()))
			reporttest.GoldenPanels(t, name+".panels.json", reporttest.OwnPanels(t, run, http.ReportKind()), *update)
		})
	}
}

// The stages of a request follow each other, and end where its attempts did on average.
func TestStagesEndWhereRequestsEnd(t *testing.T) {
	run := reporttest.Document(t, "demo")
	end := 0.0
	for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, http.ReportKind()), "stages").Spans {
		if s.Row == run.Operations[0].Name && s.From == end {
			end = s.To
		}
	}
	o := &run.Operations[0]
	want := float64(o.Stages.Send.MeanNS + o.Stages.Wait.MeanNS + o.Stages.Body.MeanNS)
	// The service time has what the client did before the attempt's request besides.
	if end != want || math.Abs(end-float64(o.ServiceTime.MeanNS)) > 0.1*float64(o.ServiceTime.MeanNS) {
		t.Errorf("%v, want %v of a service time of %v", end, want, o.ServiceTime.MeanNS)
	}
}
