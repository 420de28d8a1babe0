package rundoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// These words stand in documents that others read, and in those of before: they stay.
func TestEdgesOfTheWordsOfRuns(t *testing.T) {
	for is, want := range map[string]string{
		Schema: "plimsoll.run/v1", PhaseWarmup: "warm-up", PhaseConnect: "connect", PhaseRamp: "ramp", PhaseWindow: "window",
		PhaseDrain: "drain", OtherCauses: "other", StateConnecting: "connecting", StateWaiting: "waiting for its turn",
		StatePreparing: "preparing", StateSending: "sending", StateAwaiting: "awaiting", StateBackingOff: "backing off",
		StateReconnecting: "reconnecting", StateIdle: "idle at the end", StatePausing: "pausing in a flow",
	} {
		if is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
	if MaxPointCauses != 8 || MaxGaps != 100 { // beyond these, documents sum up and leave out
		t.Errorf("a point has %d causes, a document %d gaps", MaxPointCauses, MaxGaps)
	}
}

func TestEdgesOfPoints(t *testing.T) {
	for seconds, want := range map[int64]int64{0: 1, 1: 1, 2: 2} {
		if got := (&Point{Seconds: seconds}).Length(); got != want {
			t.Errorf("a point of %d s has %d", seconds, got)
		}
	}
	for _, tt := range []struct {
		points []Point
		want   int64
	}{
		{nil, 1}, {[]Point{{}}, 1}, {[]Point{{Seconds: 4}, {Seconds: 2}}, 4}, {[]Point{{Seconds: 1 << 20}}, 1_048_576},
		{[]Point{{Seconds: 1_048_577}}, 1_048_576},
	} {
		if got := PointSeconds(tt.points); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.points, got, tt.want)
		}
	}
	run := Run{Ledger: lasts(4*second + 1), Series: []Point{{OK: 5}, {Second: 1, Seconds: 2, OK: 8}, {Second: 3, OK: 6}, {Second: 4, OK: 9},
		{Second: 3, Seconds: 2, OK: 9}, {Second: -9, Seconds: 5, OK: 9}}}
	if got := run.FullSeconds(); !slices.Equal(got, []float64{5, 4, 6}) {
		t.Errorf("whole seconds had %v", got)
	}
	all := Run{Ledger: lasts(4 * second), Series: []Point{{Seconds: 4, OK: 8}}}
	if got := all.FullSeconds(); !slices.Equal(got, []float64{2}) {
		t.Errorf("all seconds had %v", got)
	}
}

func TestEdgesOfDetails(t *testing.T) {
	for workload, want := range map[string]string{"chat": "*rundoc.ChatDetail", "ws": "*rundoc.WSDetail", "bandwidth": "*rundoc.BandwidthDetail",
		"overhead": "*rundoc.OverheadDetail", "updates": "*rundoc.UpdatesDetail", "http": "*rundoc.HTTPDetail", "later": "rundoc.RawDetail"} {
		d := DecodeDetail(workload, []byte(`{"proof":{}}`))
		if got := fmt.Sprintf("%T", d); got != want {
			t.Errorf("%s: %s", workload, got)
		}
		// The kind of a run is its detail or, where that cannot be read, what stands for it.
		if run := (Run{Workload: workload, Detail: d}); fmt.Sprintf("%T", run.kind()) != want || want != "rundoc.RawDetail" && run.kind() != d {
			t.Errorf("%s: of the kind %T", workload, run.kind())
		}
		for _, none := range []Detail{nil, DecodeDetail(workload, []byte(`{`))} {
			if got := fmt.Sprintf("%T", (&Run{Workload: workload, Detail: none}).kind()); got != want {
				t.Errorf("%s, without a detail: of the kind %s", workload, got)
			}
		}
	}
	if d := DecodeDetail("updates", []byte(`{"batch":7}`)).(*UpdatesDetail); d.Batch != 7 {
		t.Errorf("%+v", d)
	}
	for _, none := range []string{"", "null"} {
		if d := DecodeDetail("chat", []byte(none)); d != nil {
			t.Errorf("%q: %+v", none, d)
		}
	}
	for _, raw := range []string{"5", `{"replies":5}`} {
		d := DecodeDetail("chat", []byte(raw))
		text, err := json.Marshal(d)
		if _, is := d.(RawDetail); !is || err != nil || string(text) != raw || !d.alike() {
			t.Errorf("%s: %T %s, %v", raw, d, text, err)
		}
	}
}

func TestEdgesOfReadingARun(t *testing.T) {
	var run Run
	if err := json.Unmarshal([]byte(`{"operations":5}`), &run); err == nil {
		t.Error("no error of a run that cannot be read")
	}
	for rules, throttled := range map[string]bool{"0": false, "1": true, "3": true} {
		text := `{"workload":"chat","detail":{"replies":{"late":3}},"series":[{"p50_ns":5}],"generator":{"throttled_ns":0},` +
			`"verdict":{"rules":` + rules + `}}`
		run := Run{}
		if err := json.Unmarshal([]byte(text), &run); err != nil || run.Chat().Replies.Late != 3 || run.Series[0].P50NS != 0 ||
			run.Generator.ThrottledNS != nil != throttled {
			t.Errorf("by rules %s: %+v, %v", rules, run, err)
		}
	}
}
