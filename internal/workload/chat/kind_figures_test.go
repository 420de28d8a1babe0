package chat

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are those of the table of rooms and of the unusual replies; of several rooms it is the highest.
func TestFiguresOfChat(t *testing.T) {
	d := &rundoc.ChatDetail{Replies: rundoc.Replies{Late: 3}, ByRoom: []rundoc.RoomFigures{
		{Room: "1", OK: 1005, RatePerS: 2.5, MeanNS: 10, P50NS: 11, P99NS: 12}, {Room: "2"},
		{Room: "3", OK: 1006, Failed: 1, RatePerS: 3.5, MeanNS: 8, P50NS: 9, P99NS: 20},
	}}
	run := &rundoc.Run{Workload: rundoc.WorkloadChat, Detail: d}
	known := ReportKind().Known(rundoc.WorkloadChat)
	for name, want := range map[string]float64{
		"room.p99": 20, "room.p99{room=1}": 12, "room.mean": 10, "room.rate{room=3}": 3.5, "room.failed": 1, "late": 3,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	if spec, _ := figure.Parse("room.p99{room=2}", known); spec.Of(run).Why == "" {
		t.Error("a room without a message has a p99")
	}
	// One that has too few for a p99 has a p50, and might be the slowest.
	d.ByRoom[2].OK = 30
	for name, told := range map[string]bool{"room.p99": false, "room.p99{room=3}": false, "room.p99{room=1}": true, "room.p50": true} {
		spec, _ := figure.Parse(name, known)
		if v := spec.Of(run); (v.Why == "") != told {
			t.Errorf("%s with few messages: %v %q", name, v.Raw, v.Why)
		}
	}
}
