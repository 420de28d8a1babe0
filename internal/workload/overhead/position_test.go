package overhead

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The line on the terminal says what is measured and how long it will take.
func TestPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Overhead{rounds: 15, skipped: make([]bool, 3), steps: []step{
			{service: "S3", operation: "HeadObject"}, {service: nullService, operation: "HeadObject", null: true},
			{service: "SNS", operation: "Publish"},
		}}
		o.Plan = Plan{Warmup: 5 * time.Second, Time: 15 * time.Second}
		// 60 s in all.
		expect := func(want Position) {
			t.Helper()
			want.Rounds = 15
			if want.Done == 0 {
				want.Done = 1 - want.Left.Seconds()/60
			}
			if diff := cmp.Diff(want, o.Position()); diff != "" {
				t.Error(diff)
			}
		}
		expect(Position{Done: -1, Left: -1})
		o.turnTo(0, -1)
		expect(Position{Operation: "S3/HeadObject", Left: 60 * time.Second})
		time.Sleep(2 * time.Second)
		expect(Position{Operation: "S3/HeadObject", Left: 58 * time.Second})
		time.Sleep(time.Minute) // a slow service
		expect(Position{Operation: "S3/HeadObject", Left: 55 * time.Second})
		o.turnTo(2, -1)
		expect(Position{Operation: "SNS/Publish", Left: 50 * time.Second})
		o.turnTo(0, 0)
		expect(Position{Operation: "S3/HeadObject", Round: 1, Left: 45 * time.Second})
		o.turnTo(1, 0)
		expect(Position{Operation: "null client", Round: 1, Left: 44 * time.Second})
		o.turnTo(2, 14)
		time.Sleep(300 * time.Millisecond)
		expect(Position{Operation: "SNS/Publish", Round: 15, Left: 700 * time.Millisecond})
		o.skipped[0] = true
		o.turnTo(1, 0)
		expect(Position{Operation: "null client", Round: 1, Done: 0.25, Left: 30 * time.Second})
		o.Plan.Time, o.Plan.Calls = 0, 10
		expect(Position{Operation: "null client", Round: 1, Done: 1. / 45, Left: -1})
		o.turnTo(1, -1)
		expect(Position{Operation: "null client", Done: -1, Left: -1})
	})
}
