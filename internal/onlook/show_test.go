package onlook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/setdoc"
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
func TestObserverSeesRuns(t *testing.T) {
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
func TestHangingObserverBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		stuck, well := &notes{hold: func(ctx context.Context) { <-ctx.Done() }}, &notes{}
		gone, left := s.Join(stuck), s.Join(well)
		begun := time.Now()
		for i := range 3 * 64 {
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
		var want []string    // the last 64
		for i := 2 * 64; i < 3*64; i++ {
			want = append(want, fmt.Sprintf("%d is over", i))
		}
		told = slices.DeleteFunc(told, func(one string) bool { // the first may have been told before it hung
			return strings.HasPrefix(one, "sees ") || one == "0 is over"
		})
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
		if n := len(well.told()); n < 3*64 {
			t.Errorf("the other one was told %d times", n)
		}
	})
}

// Who has left is told nothing more, and the others all.
func TestDetachedObserverIsNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, gone, here := New(), &notes{}, &notes{}
		leave, stay := s.Join(gone), s.Join(here)
		if !leave(t.Context()) {
			t.Error("it did not wait")
		}
		s.Enter(of("a"))(Moment{ID: "a"})
		if !stay(t.Context()) {
			t.Error("it did not wait")
		}
		if told := here.told(); !slices.Contains(told, "a is over") || len(gone.told()) > 0 {
			t.Errorf("%q, and to who has left %q", told, gone.told())
		}
	})
}

// Nobody has to ask whether anybody looks.
func TestShowWithoutObservers(t *testing.T) {
	var s *Show
	s.Enter(of("a"))(Moment{})
	if s.Conclude(&setdoc.Set{}); s.Now() != nil || s.NewPicker() != nil {
		t.Error("there is something to see")
	}
}

// A show has what it was given: what picks operations, and what its runs came to.
func TestWhatAShowIsGiven(t *testing.T) {
	s, picker, set := New(), &record.Picker{}, &setdoc.Set{}
	if s.NewPicker() != nil || s.Set() != nil {
		t.Error("there is something before it was given")
	}
	s.Picker = func() *record.Picker { return picker }
	if s.Conclude(set); s.NewPicker() != picker || s.Set() != set {
		t.Error("it is not what was given")
	}
}
