package onlook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// notes is a watcher that writes down what it is told.
type notes struct {
	hold func(context.Context) // while it sees

	mu   sync.Mutex
	list []string
}

func (n *notes) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

func (n *notes) See(ctx context.Context, now []Moment) {
	if n.hold != nil {
		n.hold(ctx)
	}
	ids := ""
	for _, m := range now {
		ids += m.ID
	}
	n.note("sees %s", ids)
}

func (n *notes) Over(_ context.Context, m Moment) { n.note("%s is over", m.ID) }

func (n *notes) told() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

func of(id string) func() Moment { return func() Moment { return Moment{ID: id} } }

// A watcher is told when a run begins, each second, and when it is over; two runs may go on at the same time, and what
// was over last is still to be seen when nothing goes on.
func TestAWatcherIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := New(), &notes{}
		leave := s.Join(n)
		first := s.Enter(of("a"))
		time.Sleep(2500 * time.Millisecond)
		second := s.Enter(of("b"))
		time.Sleep(time.Second)
		first(Moment{ID: "a"})
		time.Sleep(time.Second)
		second(Moment{ID: "b"})
		if !leave(t.Context()) {
			t.Error("it did not wait")
		}
		want := []string{"sees a", "sees a", "sees a", "sees ab", "sees ab", "a is over", "sees b", "b is over"}
		if diff := cmp.Diff(want, n.told()); diff != "" {
			t.Error(diff)
		}
		if now := s.Now(); len(now) != 1 || now[0].ID != "b" {
			t.Errorf("%+v", now)
		}
	})
}

// A watcher that hangs holds up neither the runs nor the others, nor the end beyond its bound; of the runs that were
// over meanwhile it is told of the last ones.
func TestAWatcherThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		stuck, well := &notes{hold: func(ctx context.Context) { <-ctx.Done() }}, &notes{}
		gone, left := s.Join(stuck), s.Join(well)
		begun := time.Now()
		for i := range 3 * maxEnds {
			s.Enter(of("run"))(Moment{ID: fmt.Sprint(i)})
			synctest.Wait()
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("the runs were held up for %v", took)
		}
		bound, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if gone(bound) || time.Since(begun) != time.Second {
			t.Errorf("it took %v to give up", time.Since(begun))
		}
		if !left(t.Context()) {
			t.Error("the other one is not told either")
		}
		told := stuck.told() // it was cut off, and nothing of it goes on
		if first := fmt.Sprintf("%d is over", 2*maxEnds); len(told) < maxEnds || !slices.Contains(told, first) ||
			!slices.Contains(told, fmt.Sprintf("%d is over", 3*maxEnds-1)) {
			t.Errorf("%d: %v", len(told), told)
		}
		if n := len(well.told()); n < 3*maxEnds {
			t.Errorf("the other one was told %d times", n)
		}
	})
}

// Nobody has to ask whether anybody looks.
func TestAShowThatNobodyLooksAt(t *testing.T) {
	var s *Show
	s.Enter(of("a"))(Moment{})
	if s.Now() != nil {
		t.Error("there is something to see")
	}
}
