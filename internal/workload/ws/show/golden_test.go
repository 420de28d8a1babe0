package show_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are real runs, against a server that sends back what comes: of a file with rooms, heartbeats of both sides and
// refusals, and of one whose rules take nothing of what comes; and against a chat that sends messages to all of their room,
// and loses, doubles and swaps some.
var fixtures = []reporttest.Fixed{{Name: "talk"}, {Name: "other"}, {Name: "fanout"}}

func TestGolden(t *testing.T) {
	all := append(reporttest.Renderings(show.Kind()), reporttest.Buckets())
	reporttest.Goldens(t, fixtures, append(all, reporttest.Briefs(show.Kind())...), *update)
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, false)
}

func TestEachWidth(t *testing.T) {
	for _, f := range fixtures {
		run := reporttest.Document(t, f.Name)
		reporttest.FitsEachWidth(t, f.Name, run, show.Kind())
		reporttest.FitsTheScreen(t, f.Name, run, show.Kind(), "Throughput ", "Response time ", "Verdict ")
	}
}

// A server that answers, but with nothing that a rule takes, does not look like a slow one: the first screen has what
// came, and what to do.
func TestFirstScreenSaysThatNoRuleTakesWhatCame(t *testing.T) {
	run := reporttest.Document(t, "other")
	for _, width := range []int{40, 80, 200} {
		var b strings.Builder
		if err := report.Brief(&b, run, show.Kind(), report.Options{Width: width, Rest: "plimsoll report x --full"}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range []string{"timeout 24", "24 messages matched no rule of other.yaml; first: " +
			`{"op":"search","id":1,"room":"1","words":"coffee"}`, "plimsoll ws --inspect other.yaml ws://"} {
			if !strings.Contains(text, want) && width >= 80 {
				t.Errorf("%d columns: no %q in\n%s", width, want, b.String())
			}
		}
		if strings.Count(text, "no rule of") > 1 {
			t.Errorf("%d columns: it is said twice:\n%s", width, b.String())
		}
	}
}

// The figures of a fixed run are what its document says.
func TestFigures(t *testing.T) {
	run, other := reporttest.Document(t, "talk"), reporttest.Document(t, "other")
	d := run.WS()
	if d.Heartbeats == 0 || d.Beats == 0 || len(d.ByRoom) != 3 || other.WS().Untaken != 24 {
		t.Fatal("the fixed runs are others")
	}
	for text, want := range map[string]float64{
		"heartbeats": float64(d.Heartbeats), "beats": float64(d.Beats), "deliveries": 0, "untaken": 0, "unmatched": 0,
		"late": float64(d.Replies.Late), "room.rate{room=2}": d.ByRoom[1].RatePerS, "room.p99{room=3}": float64(d.ByRoom[2].P99NS),
		"p50{message=order}": float64(*run.Operations[1].ResponseTime.P50NS),
	} {
		spec, err := figure.Parse(text, show.Kind().Known(rundoc.WorkloadWS))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s: %v %q, want %v", text, v.Raw, v.Why, want)
		}
	}
	fan := reporttest.Document(t, "fanout")
	for text, want := range map[string]float64{
		"fanout.first.p99": float64(*fan.WS().Fanout.First.P99NS), "fanout.median.p50": float64(*fan.WS().Fanout.Median.P50NS),
		"fanout.last.p99": float64(*fan.WS().Fanout.Last.P99NS), "lost_deliveries": float64(fan.WS().Fanout.Lost),
		"duplicated_deliveries": float64(fan.WS().Fanout.Duplicated), "misordered_deliveries": float64(fan.WS().Fanout.Misordered),
	} {
		spec, err := figure.Parse(text, show.Kind().Known(rundoc.WorkloadWS))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v := spec.Of(fan); v.Why != "" || v.Raw != want || want == 0 {
			t.Errorf("%s: %v %q, want %v", text, v.Raw, v.Why, want)
		}
		if v := spec.Of(run); v.Why == "" {
			t.Errorf("%s of a run without fan-out: %v", text, v)
		}
	}
	spec, err := figure.Parse("untaken", show.Kind().Known(rundoc.WorkloadWS))
	if err != nil {
		t.Fatal(err)
	}
	if v := spec.Of(other); v.Raw != 24 {
		t.Errorf("untaken: %v", v)
	}
	if v := spec.Of(&rundoc.Run{Workload: rundoc.WorkloadWS}); v.Why == "" {
		t.Errorf("of a run without a detail: %v", v)
	}
}

// Two runs of the same load with other protocols can be told apart in the list.
func TestListed(t *testing.T) {
	kind := show.Kind()
	for plan, want := range map[string]string{
		`{"load":{"clients":8}}`: "8 clients",
		`{"load":{"clients":8},"protocol":{"name":"my.yaml","rooms":1}}`:        "8 clients, my.yaml",
		`{"load":{"clients":8},"protocol":{"message":"{}","rooms":3}}`:          "8 clients, one message, 3 rooms",
		`{"load":{"clients":8,"receivers":200},"protocol":{"name":"socketio"}}`: "8 clients, socketio, 200 receivers",
		`[]`: "",
	} {
		var l report.Listing
		if kind.Listed(&rundoc.Run{Plan: []byte(plan)}, &l); l.Load != want {
			t.Errorf("%s: %q, want %q", plan, l.Load, want)
		}
	}
}
