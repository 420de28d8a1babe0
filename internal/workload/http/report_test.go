package http_test

import (
	"flag"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are real runs: of files that go up and down a link of 200 Mbit/s, of the demo, and of two flows against a
// server that answers some requests with 503.
var fixtures = []reporttest.Fixed{{Name: "bodies"}, {Name: "demo"}, {Name: "flow"}}

func TestGolden(t *testing.T) {
	all := append(reporttest.Renderings(http.ReportKind()), reporttest.Buckets())
	reporttest.Goldens(t, fixtures, append(all, reporttest.Briefs(http.ReportKind())...), *update)
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, false)
}

func TestReportFitsEachWidth(t *testing.T) {
	for _, f := range fixtures[2:] {
		run := reporttest.Document(t, f.Name)
		reporttest.FitsEachWidth(t, f.Name, run, http.ReportKind())
		reporttest.FitsTheScreen(t, f.Name, run, http.ReportKind(), "Throughput ", "Response time ", "Verdict ")
	}
}

// The figures of a fixed run are what its document says, counted by hand.
func TestFigures(t *testing.T) {
	run := reporttest.Document(t, "flow")
	flows := map[string]*rundoc.FlowFigures{}
	for i := range run.Flows {
		flows[run.Flows[i].Name] = &run.Flows[i]
	}
	var answers, unavailable int64
	for _, s := range run.HTTP().Statuses {
		answers += s.Count
		if s.Status == 503 {
			unavailable += s.Count
		}
	}
	if unavailable == 0 || flows["buy"].Failed == 0 || run.Operations[1].Name != "cart" {
		t.Fatal("the fixed run is another")
	}
	for text, want := range map[string]float64{
		"answers":                        float64(answers),
		"answers{status=503}":            float64(unavailable),
		"answers{status=5xx}":            float64(unavailable),
		"answers{status=404}":            0,
		"failed_checks":                  float64(flows["buy"].Failed),
		"failed_checks{check=status 9}":  0,
		"flow.failed{flow=buy}":          float64(flows["buy"].Failed),
		"flow.completed":                 float64(flows["buy"].Completed + flows["look"].Completed),
		"flow.p99{flow=buy}":             float64(*flows["buy"].ResponseTime.P99NS),
		"stage.wait.p50{operation=cart}": float64(*run.Operations[1].Stages.Wait.P50NS),
		"stage.body.max{operation=cart}": float64(run.Operations[1].Stages.Body.MaxNS),
		"closed":                         0,
	} {
		spec, err := figure.Parse(text, http.ReportKind().Known(rundoc.WorkloadHTTP))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s: %v %q, want %v", text, v.Raw, v.Why, want)
		}
	}
}

// So are those of the rates of bodies.
func TestFiguresOfRates(t *testing.T) {
	run := reporttest.Document(t, "bodies")
	d := run.HTTP()
	if len(d.Upload.ByRequest) != 2 || d.Download.ByRequest != nil || len(d.BodyFiles) != 1 {
		t.Fatal("the fixed run is another")
	}
	none, unrated, few := *run, *run, *run
	none.Detail = &rundoc.HTTPDetail{}
	unrated.Detail = &rundoc.HTTPDetail{Upload: &rundoc.HTTPBodies{Bodies: 3}}
	few.Detail = &rundoc.HTTPDetail{Upload: &rundoc.HTTPBodies{Bodies: 3, Rated: 3, BytesPerS: 5, MinBytesPerS: 4}}
	for _, c := range []struct {
		text string
		run  *rundoc.Run
		want float64
		why  string
	}{
		{"upload", run, d.Upload.BytesPerS, ""},
		{"upload.slowest", run, d.Upload.MinBytesPerS, ""},
		{"upload.p10", run, *d.Upload.P10BytesPerS, ""},
		{"upload.p50", run, *d.Upload.P50BytesPerS, ""},
		{"download", run, d.Download.BytesPerS, ""},
		{"download.slowest", run, d.Download.MinBytesPerS, ""},
		{"download.p10", run, *d.Download.P10BytesPerS, ""},
		{"download.p50", run, *d.Download.P50BytesPerS, ""},
		{"upload", &none, 0, "no upload is large enough to have a rate (--rates)"},
		{"download.p10", &unrated, 0, "no download is large enough to have a rate (--rates)"},
		{"upload", &unrated, 0, "no upload has a rate that is known within 5%"},
		{"upload.slowest", &few, 4, ""},
		{"upload.p50", &few, 0, "too few uploads have a rate"},
	} {
		spec, err := figure.Parse(c.text, http.ReportKind().Known(rundoc.WorkloadHTTP))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if v := spec.Of(c.run); v.Why != c.why || v.Raw != c.want {
			t.Errorf("%s: %v %q, want %v %q", c.text, v.Raw, v.Why, c.want, c.why)
		}
	}
}
