package kv

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
	"github.com/plimsoll/plimsoll/internal/topic"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// inMemory makes a server of a topic in memory whose listeners run until the test ends. It must
// be called in a bubble of synctest; requests go to its handler, without a network.
func inMemory(t *testing.T, m *memory, change func(*Config)) *Server {
	t.Helper()
	cfg := Default()
	cfg.Memory, cfg.Subscription = 1<<30, "test"
	if change != nil {
		change(&cfg)
	}
	allowed := cfg.Memory
	cfg.Memory = max(allowed, store.Least)
	s, err := New(cfg, Source{Topic: m, URL: "memory://test", Version: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if allowed < cfg.Memory {
		allow(s, allowed)
	}
	if err := s.recover(); err != nil {
		t.Fatal(err)
	}
	m.batch, s.sub = cfg.Batch, m
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	for range cfg.Listeners {
		l := &listener{s: s}
		s.receivers = append(s.receivers, l)
		go func() {
			l.listen(ctx, m)
			ended <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range cfg.Listeners {
			<-ended
		}
		s.release()
	})
	return s
}

// allow gives a server that was just made less memory than one can be told to take, so that it is full soon.
func allow(s *Server, memory int64) {
	s.store.Close()
	s.cfg.Memory, s.store = memory, store.New(memory)
	s.registry = newRegistry(s.store.Number)
}

// get asks the server's handler, and reads the answer into a pointer.
func get(t *testing.T, s *Server, path string, into any) int {
	t.Helper()
	return ask(t, s, httptest.NewRequest(http.MethodGet, path, nil), into)
}

func ask(t *testing.T, s *Server, r *http.Request, into any) int {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			t.Fatalf("%s %s: %v: %.200q", r.Method, r.URL, err, body)
		}
	}
	return w.Code
}

func runState(t *testing.T, s *Server, run uint64) kvapi.Run {
	t.Helper()
	var r kvapi.Run
	if status := get(t, s, fmt.Sprintf("/v1/runs/%d?state=1&times=1", run), &r); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	return r
}

// message encodes a batch.
func message(t testing.TB, h delta.Header, rows ...delta.Row) []byte {
	t.Helper()
	b, err := delta.Append(nil, &h, rows)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func update(key, value string, commit int64) delta.Row {
	return delta.Row{Key: []byte(key), Value: []byte(value), Commit: commit}
}

func from(run uint64, number uint32, sequence uint64) delta.Header {
	return delta.Header{Publisher: delta.Publisher{Run: run, Number: number}, Sequence: sequence}
}

// generated makes batches of a run and the state that they lead to.
func generated(t testing.TB, g delta.Generation, run uint64, publishers, batches int) (messages [][]byte,
	want kvapi.State) {
	t.Helper()
	n, err := delta.NewGenerator(g)
	if err != nil {
		t.Fatal(err)
	}
	type winner struct {
		order delta.Order
		row   delta.Row
	}
	winners := make(map[string]winner)
	for i := range batches {
		rows, _ := n.Rows(uint64(i), nil, nil)
		h := from(run, uint32(i%publishers), uint64(i/publishers))
		messages = append(messages, message(t, h, rows...))
		for j, r := range rows {
			o := delta.Order{Commit: r.Commit, Publisher: h.Publisher, Sequence: h.Sequence, Row: uint32(j)}
			if w, ok := winners[string(r.Key)]; !ok || w.order.Compare(o) < 0 {
				winners[string(r.Key)] = winner{o, r}
			}
		}
	}
	for _, w := range winners {
		if w.row.Kind == delta.Delete {
			want.Tombstones++
			continue
		}
		want.Live++
		want.Digest += delta.Hash(&w.row)
	}
	return messages, want
}

func hot(keys uint64) delta.Generation {
	return delta.Generation{Seed: 7, Prefix: "k", Batch: 100, KeyLength: 30, ValueLength: 10, Keys: keys, Deletes: .1,
		Sets: .1, Commit: 1000}
}

// checkRun holds what the server says of a run against what was published.
func checkRun(t *testing.T, s *Server, run uint64, batches, rows int, want kvapi.State) kvapi.Run {
	t.Helper()
	r := runState(t, s, run)
	var received int64
	for _, p := range r.Publishers {
		received += p.Batches
		if len(p.Beyond) > 0 {
			t.Errorf("publisher %d: %v is beyond %d", p.Publisher, p.Beyond, p.Next)
		}
	}
	if received != int64(batches) || r.Rows.Applied+r.Rows.Stale != int64(rows) {
		t.Errorf("%d of %d batches received, %+v of %d rows", received, batches, r.Rows, rows)
	}
	if r.State == nil || *r.State != want {
		t.Errorf("the state is %+v, want %+v", r.State, want)
	}
	return r
}

func TestAppliesAndAcknowledges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		messages, want := generated(t, hot(500), 9, 3, 120)
		m.publish(messages...)
		synctest.Wait()
		r := checkRun(t, s, 9, 120, 12_000, want)
		if queued, unacked := m.waiting(); queued+unacked != 0 {
			t.Errorf("%d messages wait, %d are not acknowledged", queued, unacked)
		}
		if len(r.Publishers) != 3 || r.Publishers[2].Publisher != 2 || r.Publishers[2].Next != 40 || r.Unreadable != 0 {
			t.Errorf("%+v", r)
		}
		if other := runState(t, s, 10); len(other.Publishers) != 0 || *other.State != (kvapi.State{}) {
			t.Errorf("a run that was not: %+v", other)
		}
	})
}

func TestEveryFortiethBatchUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.SkipAck = 40 })
		messages, want := generated(t, hot(500), 9, 2, 400)
		m.publish(messages...)
		synctest.Wait()
		if _, unacked := m.waiting(); unacked != 10 {
			t.Fatalf("%d of 400 batches are not acknowledged, want 10", unacked)
		}
		m.redeliver(nil)
		synctest.Wait()
		if _, unacked := m.waiting(); unacked != 0 {
			t.Errorf("%d are not acknowledged the second time", unacked)
		}
		r := checkRun(t, s, 9, 400, 40_000, want)
		if d := r.Publishers[0].Duplicates + r.Publishers[1].Duplicates; d != 10 || r.Rows.Duplicate != 1000 {
			t.Errorf("%d duplicates with %d rows, want 10 with 1000", d, r.Rows.Duplicate)
		}
		if _, text := body(t, s, "GET", "/metrics", ""); !strings.Contains(text,
			"\nplimsoll_kv_acknowledgements_skipped_total 10\n") {
			t.Error("the metrics do not count what was not acknowledged on purpose")
		}
	})
}

// TestRedeliveryOutOfOrder delivers everything twice and in any order: no key may be wrong. A
// server that keeps what came last has thousands of wrong keys, or the test shows nothing.
func TestRedeliveryOutOfOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const keys = 20_000
	messages, want := generated(t, hot(keys), 9, 4, 2000)
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := newMemory()
		r.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		// The acknowledgements of a third are lost, once.
		lost := make(map[int]bool)
		m.loseAck = func(number int) bool {
			if number%3 == 0 && !lost[number] {
				lost[number] = true
				return true
			}
			return false
		}
		s := inMemory(t, m, nil)
		m.publish(messages...)
		synctest.Wait()
		if n := m.redeliver(r.Shuffle); n < 600 {
			t.Fatalf("%d messages were delivered again", n)
		}
		synctest.Wait()
		got := checkRun(t, s, 9, 2000, 200_000, want)
		if got.Rows.Stale < 1000 {
			t.Errorf("%d rows were stale: the order was not disturbed", got.Rows.Stale)
		}
	})
	if wrong := naiveWrong(t, messages); wrong < 1000 {
		t.Errorf("keeping what came last has %d of %d keys wrong: this order shows nothing", wrong, keys)
	}
}

// naiveWrong applies the messages in their order, the last one of each key wins, and counts the
// keys whose row is not the last one by commit time.
func naiveWrong(t *testing.T, messages [][]byte) (wrong int) {
	last, newest := make(map[string]int64), make(map[string]int64)
	for _, m := range messages {
		_, rows, err := delta.Decode(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			last[string(r.Key)] = r.Commit
			newest[string(r.Key)] = max(newest[string(r.Key)], r.Commit)
		}
	}
	for key, commit := range last {
		if commit != newest[key] {
			wrong++
		}
	}
	return wrong
}

func TestUnreadableMessagesAreCountedAndSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		good := message(t, from(9, 0, 0), update("a", "1", 1), update("b", "2", 1))
		bad := [][]byte{nil, []byte("{}"), []byte(strings.Repeat("x", 1000))}
		for n := range good { // truncated, and with each byte flipped
			bad = append(bad, good[:n])
			flipped := append([]byte(nil), good...)
			flipped[n] ^= 0x10
			bad = append(bad, flipped)
		}
		bad = append(bad, message(t, from(9, 0, maxSequence+1), update("a", "wrong", 9)))
		bad = append(bad, message(t, from(9, 0, 1), update(strings.Repeat("k", 1<<16), "wrong", 9)))
		bad = append(bad, message(t, from(0, 0, 0), update("a", "wrong", 9)))
		m.publish(bad...)
		m.publish(good)
		synctest.Wait()
		r := runState(t, s, 9)
		if r.Unreadable != int64(len(bad)) || r.Example == "" {
			t.Errorf("%d of %d messages were unreadable, such as %q", r.Unreadable, len(bad), r.Example)
		}
		if r.Rows.Applied != 2 || r.State.Live != 2 {
			t.Errorf("%+v, %+v", r.Rows, r.State)
		}
		if queued, unacked := m.waiting(); queued+unacked != 0 {
			t.Errorf("%d wait and %d come again", queued, unacked)
		}
		if status := get(t, s, "/health", nil); status != http.StatusOK {
			t.Errorf("health %d", status)
		}
	})
}

// TestForeignMessagesAreNotAcknowledged: of a queue that was there, what is no batch is not acknowledged, which
// would remove it; what begins as one is ours.
func TestForeignMessagesAreNotAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.others = true
		s := inMemory(t, m, nil)
		good := message(t, from(9, 0, 0), update("a", "1", 1))
		m.publish([]byte("an order"), good, nil, good[:20], []byte("another order"))
		synctest.Wait()
		if queued, unacked := m.waiting(); queued != 0 || unacked != 3 {
			t.Errorf("%d wait and %d are not acknowledged, want the 3 of others", queued, unacked)
		}
		if r := runState(t, s, 9); r.Unreadable != 4 || r.Rows.Applied != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// TestDuplicateBatchesAreAppliedOnce delivers the same batches many times at once: each is applied
// once, and none waits for itself.
func TestDuplicateBatchesAreAppliedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.Listeners = 8 })
		messages, want := generated(t, hot(300), 9, 2, 60)
		var all [][]byte
		for i := range messages {
			for j := range 5 { // each five times, near one another
				all = append(all, messages[max(0, i-j)])
			}
		}
		m.publish(all...)
		synctest.Wait()
		checkRun(t, s, 9, 60, 6000, want)
		if queued, unacked := m.waiting(); queued+unacked != 0 {
			t.Errorf("%d wait and %d are not acknowledged", queued, unacked)
		}
	})
}

// ending is a subscription that ends the server when it has given messages, and acknowledges none for
// one who has given up.
type ending struct {
	*memory
	end context.CancelFunc
}

func (e ending) Receive(ctx context.Context) (topic.Received, error) {
	defer e.end()
	return e.memory.Receive(ctx)
}

func (e ending) Ack(ctx context.Context, messages []topic.Message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return e.memory.Ack(ctx, messages)
}

// TestShutdownAppliesReceivedBatches: what was received when the server is told to end is applied and
// acknowledged.
func TestShutdownAppliesReceivedBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, newMemory(), nil)
		ctx, cancel := context.WithCancel(t.Context())
		m.publish(message(t, from(9, 0, 0), update("a", "1", 1)), message(t, from(9, 0, 1), update("b", "1", 1)))
		(&listener{s: s}).listen(ctx, ending{m, cancel})
		if queued, unacked := m.waiting(); queued+unacked != 0 || runState(t, s, 9).Rows.Applied != 2 {
			t.Errorf("%d messages were not received, %d not acknowledged; %+v", queued, unacked, runState(t, s, 9).Rows)
		}
	})
}

// TestSecondDeliveryWaitsForTheFirst: what another listener works on is not acknowledged before
// that has ended, and is taken over if it failed.
func TestSecondDeliveryWaitsForTheFirst(t *testing.T) {
	for _, done := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			s := inMemory(t, m, nil)
			p := s.registry.use(delta.Publisher{Run: 9})
			if c, err := p.claim(0, 1); c != claimed {
				t.Fatal(c, err)
			}
			other := message(t, from(9, 1, 0), update("other", "1", 1))
			m.publish(message(t, from(9, 0, 0), update("a", "1", 1)), other)
			synctest.Wait()
			if _, unacked := m.waiting(); unacked != 1 { // and the other one is not held up
				t.Errorf("%d messages are not acknowledged, want the one that is worked on", unacked)
			}
			p.settle(0, done, 1, 0)
			s.registry.release(p)
			synctest.Wait()
			if _, unacked := m.waiting(); unacked != 0 {
				t.Errorf("%d messages are not acknowledged", unacked)
			}
			r := runState(t, s, 9)
			if got := r.Publishers[0]; got.Batches != 1 || (got.Duplicates == 1) != done || r.Rows.Applied != 2 {
				t.Errorf("%+v, %+v", got, r.Rows)
			}
			if live := r.State.Live; (live == 1) != done {
				t.Errorf("%d keys", live)
			}
		})
	}
}
