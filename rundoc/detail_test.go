package rundoc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Each kind's detail comes back as what it was, once and whole.
func TestDetailRoundTripsForEachWorkload(t *testing.T) {
	_, bandwidth := soundBandwidth(t)
	for workload, detail := range map[string]rundoc.Detail{
		rundoc.WorkloadChat:      &rundoc.ChatDetail{Replies: rundoc.Replies{Late: 3}},
		rundoc.WorkloadWS:        &rundoc.WSDetail{Protocol: rundoc.WSProtocol{Name: "echo", Codec: "text", Preset: true}, Beats: 2},
		rundoc.WorkloadHTTP:      &rundoc.HTTPDetail{Protocol: "HTTP/2"},
		rundoc.WorkloadBandwidth: bandwidth,
		rundoc.WorkloadOverhead:  soundOverhead(),
		rundoc.WorkloadUpdates:   soundUpdates(t, soundRun(t)),
		"weather":                rundoc.RawDetail(`{"sunny":true}`),
	} {
		run := soundRun(t)
		run.Detail = detail
		again := reread(t, run, workload)
		if _, raw := detail.(rundoc.RawDetail); raw {
			var text bytes.Buffer
			if err := rundoc.Write(&text, again); err != nil || !strings.Contains(text.String(), `"sunny": true`) {
				t.Errorf("%s: %v: %s", workload, err, text.String())
			}
			continue
		}
		if diff := cmp.Diff(detail, again.Detail); diff != "" {
			t.Errorf("%s: %s", workload, diff)
		}
		found := 0
		for _, there := range []bool{again.Chat() != nil, again.Bandwidth() != nil, again.Overhead() != nil,
			again.Updates() != nil, again.WS() != nil, again.HTTP() != nil} {
			if there {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %d details", workload, found)
		}
	}
}

// What a later program says in a document of its own is kept as it is, and so is what is broken.
func TestUnreadableDetailIsKept(t *testing.T) {
	for _, text := range []string{`[1,2]`, `"x"`, `{"rows":7}`} {
		run := soundRun(t)
		run.Detail = rundoc.RawDetail(text)
		again := reread(t, run, rundoc.WorkloadOverhead)
		raw, ok := again.Detail.(rundoc.RawDetail)
		if !ok || strings.Join(strings.Fields(string(raw)), "") != text {
			t.Errorf("%s: %#v", text, again.Detail)
		}
	}
	for _, nothing := range []string{"", "null"} {
		if d := rundoc.DecodeDetail(rundoc.WorkloadChat, []byte(nothing)); d != nil {
			t.Errorf("of %q: %#v", nothing, d)
		}
	}
}

// Documents of before percentiles of too few were left out have them; they are forgotten, and all others stay.
func TestReadDropsUnsupportedPercentiles(t *testing.T) {
	for _, c := range []struct{ n, p50, p99 int64 }{{19, 0, 0}, {20, 5, 0}, {999, 5, 0}, {1000, 5, 6}} {
		run := soundRun(t)
		run.Operations = []rundoc.Operation{{Scheduled: c.n + 7, Unsent: 7}}
		run.Generator.SendDelayP99NS, run.Generator.OwnDelayP99NS = 6, 6
		run.Series = []rundoc.Point{{OK: c.n - 3, Failed: 3, P50NS: 5, P99NS: 6, OwnP99NS: 6}}
		run.Detail = &rundoc.ChatDetail{ByRoom: []rundoc.RoomFigures{
			{OK: c.n - 3, Failed: 3, P50NS: 5, P99NS: 6}, {OK: 1, Times: c.n, P50NS: 5, P99NS: 6},
		}}
		again := reread(t, run, rundoc.WorkloadChat)
		p, g, rooms := again.Series[0], again.Generator, again.Chat().ByRoom
		got := []int64{p.P50NS, p.P99NS, p.OwnP99NS, g.SendDelayP99NS, g.OwnDelayP99NS,
			rooms[0].P50NS, rooms[0].P99NS, rooms[1].P50NS, rooms[1].P99NS}
		if diff := cmp.Diff([]int64{c.p50, c.p99, c.p99, c.p99, c.p99, c.p50, c.p99, c.p50, c.p99}, got); diff != "" {
			t.Errorf("of %d: %s", c.n, diff)
		}
	}
}

// So does a sample of single values leave out what they do not support, but for the median; and no law misses it.
func TestSmallSampleHasNoPercentiles(t *testing.T) {
	for _, c := range []struct {
		n        int64
		p90, p99 float64
	}{{99, 0, 0}, {100, 90, 0}, {999, 90, 0}, {1000, 90, 99}} {
		var s rundoc.Sample
		text := fmt.Sprintf(`{"n":%d,"min_ns":10,"avg_ns":50,"med_ns":50,"p90_ns":90,"p99_ns":99,"max_ns":100}`, c.n)
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.P90NS != c.p90 || s.P99NS != c.p99 || s.MedNS != 50 {
			t.Errorf("of %d: %+v, %v", c.n, s, err)
		}
		d := soundOverhead()
		d.Rows = []rundoc.OverheadRow{{Service: "S3", Operation: "HeadObject", Overhead: s, SDKTime: s, Call: s}}
		run := soundRun(t)
		run.Detail = d
		if reasons := strings.Join(rundoc.Judge(run).Reasons, " "); strings.Contains(reasons, "are inconsistent") {
			t.Errorf("of %d: %s", c.n, reasons)
		}
	}
}
