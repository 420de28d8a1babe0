package flow

import (
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// kernel is what a test has the kernel say.
type kernel struct {
	mu sync.Mutex
	answer
	gone bool
}

func (k *kernel) ask() (answer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answer, !k.gone
}

// says has it say something else.
func (k *kernel) says(change func(*kernel)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(k)
}

// open watches a socket of which the kernel says this.
func (c *Counter) openTest(k *kernel) *Socket {
	s := c.Open(nil)
	s.ask = k.ask
	s.choose()
	c.how = s.how
	return s
}

// Bytes count when they are acknowledged. A freeze of the other side is a gap of its length.
func TestCounterThroughFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		k := &kernel{answer: answer{acked: 1 + 500, received: 80, counts: true}} // of the checks before
		s := c.openTest(k)
		k.acked += 44
		c.Start()
		s.Wrote(10_000_000) // all of it, into the queue
		for range 10 {
			time.Sleep(Every / 2)
			k.says(func(k *kernel) { k.acked, k.received = k.acked+50, k.received+1 })
			time.Sleep(Every / 2)
		}
		time.Sleep(4 * time.Second) // frozen
		for range 5 {
			time.Sleep(Every / 2)
			k.says(func(k *kernel) { k.acked += 70 })
			time.Sleep(Every / 2)
		}
		synctest.Wait()
		course := c.Stop()
		for i, b := range course.Bins {
			want := Moved{50, 1}
			switch {
			case i >= 50:
				want = Moved{70, 0}
			case i >= 10:
				want = Moved{}
			}
			if b != want {
				t.Errorf("bin %d has %v, want %v", i, b, want)
			}
		}
		if len(course.Bins) != 55 || course.How != Kernel || course.Encrypted {
			t.Errorf("%d bins, by %s", len(course.Bins), course.How)
		}
		if len(course.Unsent) != 1 || course.Unsent[0] != (Stretch{time.Second, 5 * time.Second}) {
			t.Errorf("nothing was sent in %v", course.Unsent)
		}
	})
}

// Without counts of the kernel, the send queue is subtracted. Counts never decrease.
func TestCounterSubtractsQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		c.Encrypted()
		a, b := new(kernel), new(kernel)
		sa, sb := c.openTest(a), c.openTest(b)
		c.Start()
		next := func() { time.Sleep(Every); synctest.Wait() }
		sa.Wrote(1000)
		a.says(func(k *kernel) { k.queue = 900 })
		next()
		a.says(func(k *kernel) { k.queue = 1200 }) // of a write that has not returned
		next()
		sa.Wrote(500)
		a.says(func(k *kernel) { k.queue = 0 })
		sb.Wrote(70)
		sb.Read(7)
		next()
		sb.Close()
		sb.Close()
		a.says(func(k *kernel) { k.gone = true })
		next()
		sa.Close()
		course := c.Stop()
		want := []Moved{{Sent: 100}, {}, {Sent: 1470, Received: 7}}
		if !slices.Equal(course.Bins, want) {
			t.Errorf("bins %v, want %v", course.Bins, want)
		}
		if course.How != Queue || !course.Encrypted || len(c.sockets) != 0 {
			t.Errorf("by %s, encrypted %v, %d open", course.How, course.Encrypted, len(c.sockets))
		}
	})
}

// System calls count when they return.
func TestCounterOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		c.Encrypted() // of which calls know nothing
		c.Start()
		c.Called(Moved{Sent: 5})
		time.Sleep(Every + Every/2)
		c.Called(Moved{Received: 9})
		c.Called(Moved{Received: 1})
		course := c.Stop()
		if all := sum(course.Bins); course.How != Calls || course.Encrypted || all != (Moved{5, 10}) || course.Bins[0] != (Moved{Sent: 5}) {
			t.Errorf("%v by %s", course.Bins, course.How)
		}
		if c.Stop() != nil {
			t.Error("it has ended twice")
		}
	})
}

// A nil counter does nothing.
func TestNilCounter(t *testing.T) {
	var c *Counter
	near, far := net.Pipe()
	defer far.Close()
	if c.Watch(near) != near {
		t.Error("the connection is another one")
	}
	c.Encrypted()
	c.Called(Moved{1, 1})
	s := c.Open(near)
	s.Wrote(1)
	s.Read(1)
	s.Close()
	_ = near.Close()
}

// pair is a connection over loopback, from both sides.
func pair(t testing.TB) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far
}

// The counts of the kernel equal what the other side received and sent.
func TestKernelCountsEveryByte(t *testing.T) {
	var c Counter
	near, far := pair(t)
	c.Start()
	w := c.Watch(near)
	const up, down = 3_000_017, 1_000_003
	sent := make(chan error, 1)
	go func() {
		_, err := w.Write(make([]byte, up))
		sent <- err
	}()
	if _, err := io.CopyN(io.Discard, far, up); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := far.Write(make([]byte, down))
		sent <- err
	}()
	if _, err := io.CopyN(io.Discard, w, down); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	course := c.Stop()
	if all := sum(course.Bins); all != (Moved{up, down}) {
		t.Errorf("%v was counted, by %s", all, course.How)
	}
	if runtime.GOOS == "linux" && course.How != Kernel {
		t.Logf("this Linux has no counts: %s", course.How)
	}
}

func BenchmarkLook(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(map[int]string{1: "1", 64: "64"}[n], func(b *testing.B) {
			var c Counter
			for range n {
				near, _ := pair(b)
				c.Watch(near)
			}
			c.course = newCourse(Moved{})
			c.origin = time.Now()
			for b.Loop() {
				c.look()
			}
		})
	}
}
