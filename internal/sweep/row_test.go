package sweep

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestRowOf(t *testing.T) {
	run := &rundoc.Run{
		ID: "r1", Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"It was slow."}},
		Total: &rundoc.Totals{
			Scheduled: 20, OK: 14, Failed: 3, Unsent: 2, Unfinished: 1, Retries: 4,
			Causes:       []rundoc.Cause{{Cause: "reset", Count: 7}},
			ServiceTime:  &rundoc.Summary{Count: 17, MeanNS: 5, P50NS: new(int64(4))},
			ResponseTime: &rundoc.Summary{Count: 17, MeanNS: 6, P99NS: new(int64(9))},
		},
		Connections: rundoc.Connections{Opened: 5, Failed: 1,
			Reconnects: []rundoc.CauseTime{{Cause: "a", Count: 2}, {Cause: "b", Count: 1}}},
		Ledger: rundoc.Ledger{Clients: 2, WindowNS: 3_500_000_000, States: map[string]int64{rundoc.StateIdle: 5}},
		Little: rundoc.Little{InFlightSampled: 3, InFlightPredicted: 2, Slots: 8},
		// The last second is half a one, and that of two seconds is not known by itself.
		Series: []rundoc.Point{{Second: 0, OK: 5, Bytes: 70}, {Second: 1, OK: 6, Bytes: 60}, {Second: 2, OK: 1, Bytes: 5},
			{Second: 3, OK: 50, Bytes: 500}},
	}
	rate := setdoc.Figure{Name: "rate", Unit: "per_s"}
	want := setdoc.Row{
		Values: []string{"2"}, Repeat: 3, Member: "r1", Validity: "suspect", Reasons: []string{"It was slow."}, Clients: 8,
		WindowNS: 3_500_000_000, Throughput: new(5.6), PeakSecond: new(6.0), OK: 14, Failed: 3, Unsent: 2, Unfinished: 1,
		Retries: 4, Reconnects: 3, Opened: 5, NotOpened: 1, Causes: []setdoc.CauseCount{{Cause: "reset", Count: 7}},
		ServiceMeanNS: 5, ServiceP50NS: new(int64(4)), ResponseMeanNS: 6, ResponseP99NS: new(int64(9)),
		States: map[string]int64{rundoc.StateIdle: 5}, InFlightSampled: 3, InFlightPredicted: 2,
	}
	if diff := cmp.Diff(want, RowOf(run, rate, figure.Value{Raw: 5.6}, []string{"2"}, 3)); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		figure string
		series []rundoc.Point
		want   *float64
	}{
		{"bytes_rate", run.Series, new(70.0)},
		{"download", run.Series, nil},
		{"rate", []rundoc.Point{{Second: 0, Seconds: 2, OK: 9}}, nil},
		{"rate", run.Series[:2], nil}, // the higher of two may lie below the mean
		{"rate", nil, nil},
		{"rate", []rundoc.Point{{Second: 0, OK: 1}, {Second: 1, Seconds: 2, OK: 9}, {Second: 2, OK: 2}}, nil},
	} {
		other := *run
		other.Series = tt.series
		got := RowOf(&other, setdoc.Figure{Name: tt.figure}, figure.Value{Raw: 1}, nil, 1).PeakSecond
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s of %v: %s", tt.figure, tt.series, diff)
		}
	}
	for _, v := range []figure.Value{{Raw: 5, Why: "nothing was ok"}, {}, {Raw: math.Inf(1)}} {
		if got := RowOf(run, rate, v, nil, 1).Throughput; got != nil {
			t.Errorf("throughput %g of %+v", *got, v)
		}
	}
	whole := *run
	whole.Ledger.WindowNS = 3e9 // all of the third second is in it
	if got := RowOf(&whole, rate, figure.Value{Raw: 1}, nil, 1).PeakSecond; got == nil || *got != 6 {
		t.Errorf("of three whole seconds: %v", got)
	}
	run.Total, run.Little.Slots = nil, 0
	run.Operations = []rundoc.Operation{{Name: "a", Scheduled: 5, OK: 4, Failed: 1}, {Name: "b", Scheduled: 5, OK: 5}}
	run.Plan = json.RawMessage(`{"load":{"rate_per_s":8}}`)
	r := RowOf(run, rate, figure.Value{}, nil, 1)
	if r.OK != 9 || r.Failed != 1 || r.Clients != 2 || r.Throughput != nil {
		t.Errorf("%+v", r)
	}
	if r.OfferedPerS == nil || *r.OfferedPerS != 10/3.5 {
		t.Errorf("%v were offered", r.OfferedPerS)
	}
}
