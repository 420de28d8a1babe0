package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Each flow completes, fails at a step or is cut off. Its time is recorded with and without generator delay, except if it
// failed at once.
func TestFlowOutcomesAndTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	kinds := []Kind{{Name: "look"}, {Name: "buy"}}
	at := func(name string, n int64) []rundoc.FlowFailure {
		return []rundoc.FlowFailure{{Operation: name, Count: n}}
	}
	for i, tt := range []struct {
		flow      Flow
		want      rundoc.FlowFigures // of two of it
		took, own int64              // 0: it has no time
	}{
		{Flow{Intended: 100, End: 600, Own: 200}, rundoc.FlowFigures{Completed: 2}, 500, 300},
		{Flow{Intended: 100, End: 600, Own: 600}, rundoc.FlowFigures{Completed: 2}, 500, 0},
		{Flow{Intended: 100, End: 600, Own: 499, Outcome: Unfinished}, rundoc.FlowFigures{Cut: 2}, 500, 1},
		{Flow{Intended: 100, End: 600, Cut: true}, rundoc.FlowFigures{Cut: 2}, 500, 500},
		{Flow{Intended: 100, End: 600, Outcome: Failed, Last: 1}, rundoc.FlowFigures{Failed: 2, FailedAt: at("buy", 2)}, 0, 0},
		{Flow{Intended: 100, End: 600, Outcome: Failed, Unanswered: true}, rundoc.FlowFigures{Failed: 2, FailedAt: at("look", 2)}, 500, 500},
		{Flow{Intended: 100, End: 600, Outcome: Failed, Cut: true}, rundoc.FlowFigures{Cut: 2}, 500, 500},
	} {
		r := New(Config{Kinds: kinds, Flows: []string{"none", "shop"}, Series: true})
		tt.flow.Number = 1
		for shard := range 2 {
			r.RecordFlow(shard, &tt.flow)
		}
		run := runOf(r, kinds...)
		run.Flows = []string{"none", "shop"}
		doc, err := run.Document()
		if err != nil || len(doc.Flows) != 2 {
			t.Fatal(doc, err)
		}
		if diff := cmp.Diff(rundoc.FlowFigures{Name: "none"}, doc.Flows[0], cmpopts.IgnoreFields(rundoc.FlowFigures{}, "ResponseTime")); diff != "" ||
			doc.Flows[0].ResponseTime.Free != nil {
			t.Errorf("%d: of none: %s", i, diff)
		}
		tt.want.Name, tt.want.Started = "shop", 2
		got := doc.Flows[1]
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(rundoc.FlowFigures{}, "ResponseTime")); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		times := got.ResponseTime
		if tt.took == 0 && (times.Count != 0 || times.Free != nil) ||
			tt.took > 0 && (times.Count != 2 || times.MaxNS != tt.took || times.Free == nil || times.Free.MaxNS != tt.own || times.Free.MinNS != tt.own) {
			t.Errorf("%d: %+v", i, times)
		}
	}
	r := New(Config{Kinds: kinds, Flows: []string{"shop"}, Series: true})
	r.RecordFlow(0, &Flow{Last: 1, Outcome: Failed, Unanswered: true, End: 7})
	run := runOf(r, kinds...)
	run.Flows = []string{"shop"}
	if list, err := run.flows(false); err != nil || !cmp.Equal(list[0].FailedAt, at("buy", 1)) || list[0].ResponseTime.Free == nil {
		t.Errorf("one that failed: %+v, %v", list, err)
	}
}
