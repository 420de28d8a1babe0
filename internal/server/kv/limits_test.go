package kv

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
)

func TestHostileSequencesTakeLittleMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		m.publish(message(t, from(9, 0, 1<<60), update("a", "1", 1)),
			message(t, from(9, 0, maxSequence), update("a", "1", 1)))
		synctest.Wait()
		r := runState(t, s, 9)
		if p := r.Publishers[0]; p.Next != 0 || len(p.Beyond) != 2 || p.Batches != 2 {
			t.Errorf("%+v", p)
		}
		s.registry.spans.Store(maxSpans) // as if there were so many gaps
		m.publish(message(t, from(9, 0, 1<<59), update("b", "1", 1)), message(t, from(9, 0, 0), update("c", "1", 1)))
		synctest.Wait()
		if r := runState(t, s, 9); r.Unreadable != 1 || r.Publishers[0].Next != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// TestMemoryThatIsTooLittleIsRefused: with the least that is taken, keys of each shard find room.
func TestMemoryThatIsTooLittleIsRefused(t *testing.T) {
	for memory, right := range map[int64]bool{-1: false, 1: false, store.Least - 1: false, store.Least: true, 0: true} {
		cfg := Default()
		cfg.Memory = memory
		err := cfg.Validate()
		if (err == nil) != right || err != nil && (!strings.Contains(err.Error(), "--memory is ") ||
			!strings.Contains(err.Error(), "at least 32 MiB") || fault.CodeOf(err) != fault.Usage) {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
	s := store.New(store.Least)
	defer s.Close()
	for n := range 100_000 {
		if _, err := s.Apply(store.Batch{}, []delta.Row{update(fmt.Sprint("key-", n), "v", 1)}); err != nil {
			t.Fatalf("key %d: %v", n, err)
		}
	}
}

func TestFullMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.Memory, c.Listeners = 1<<20, 1 })
		for i := range 300 {
			m.publish(message(t, from(9, 0, uint64(i)), update(fmt.Sprint("key-", i), strings.Repeat("x", 10_000), 1)))
		}
		synctest.Wait()
		r := runState(t, s, 9)
		_, unacked := m.waiting()
		if got := r.Publishers[0].Batches; got < 50 || got+int64(unacked) != 300 {
			t.Errorf("%d batches received, %d not acknowledged", got, unacked)
		}
		if !strings.Contains(r.Trouble, "memory") || !strings.Contains(r.Refusal, "memory") || !r.Full ||
			r.Refused != int64(unacked) {
			t.Errorf("the run is not told why: %q, %q, full %v, %d of %d refused", r.Trouble, r.Refusal, r.Full,
				r.Refused, unacked)
		}
		m.redeliver(nil) // each delivery counts
		synctest.Wait()
		if again := runState(t, s, 9).Refused; again != 2*int64(unacked) {
			t.Errorf("%d deliveries were refused, want twice %d", again, unacked)
		}
		s.registry.register(10, kvapi.Registration{})
		if other := runState(t, s, 10); other.Refused != 0 || other.Refusal != "" || other.Full {
			t.Errorf("a run that nothing was refused of: %+v", other)
		}
		var h health
		if status := get(t, s, "/health", &h); status != http.StatusServiceUnavailable {
			t.Errorf("health %d: %+v", status, h)
		}
	})
}

func TestRunsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.Listeners = 1 })
		for run := range uint64(maxRuns + 1000) {
			m.publish(message(t, from(run+1, 0, 0), update("k", "v", int64(run))))
		}
		synctest.Wait()
		if n := s.registry.size(); n > maxRuns {
			t.Errorf("%d publishers are remembered", n)
		}
		last := runState(t, s, maxRuns+1000)
		if last.Rows.Applied != 1 || last.State.Live != 1 {
			t.Errorf("the last run: %+v", last)
		}
		// A batch of a run that was forgotten changes nothing when it comes again.
		m.publish(message(t, from(1, 0, 0), update("k", "v", 0)))
		synctest.Wait()
		if last := runState(t, s, maxRuns+1000); last.State.Live != 1 {
			t.Errorf("the last run: %+v", last)
		}
		time.Sleep(25 * time.Hour)
		s.tidy(time.Now())
		if n := s.registry.size(); n != 0 {
			t.Errorf("%d publishers are remembered after a day", n)
		}
		if n := s.store.Publishers(); n > 2 { // the zero one, and whose row is there
			t.Errorf("%d publishers have a number", n)
		}
	})
}

func TestDeletionsAreRememberedWhileABatchIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		old := message(t, from(9, 0, 1), update("k", "old", 1))
		m.publish(message(t, from(9, 0, 0), update("k", "first", 0)),
			message(t, from(9, 0, 2), delta.Row{Key: []byte("k"), Kind: delta.Delete, Commit: 2}))
		synctest.Wait()
		time.Sleep(3 * time.Hour) // longer than --keep-deletes
		s.tidy(time.Now())
		if st := s.store.State(9); st.Tombstones != 1 {
			t.Fatalf("the deletion is forgotten though batch 1 is missing: %+v", st)
		}
		m.publish(old)
		synctest.Wait()
		if st := s.store.State(9); st.Live != 0 {
			t.Errorf("an older update has brought the key back: %+v", st)
		}
		s.tidy(time.Now())
		if st := s.store.State(9); st.Tombstones != 0 {
			t.Errorf("the deletion is not forgotten: %+v", st)
		}
	})
}

// TestReadsAreBounded: one more than there may be is refused, and what tells of the server is not.
func TestReadsAreBounded(t *testing.T) {
	s := stocked(t)
	for range maxReads - 1 {
		s.reads.Enter()
	}
	var body map[string]any
	for range 2 { // a read gives its place back
		if status := get(t, s, "/v1/getvalues?keys=a", &body); status != http.StatusOK {
			t.Errorf("the last read that there may be: %d, %v", status, body)
		}
	}
	s.reads.Enter()
	if status := get(t, s, "/v1/getvalues?keys=a", &body); status != http.StatusServiceUnavailable ||
		body["error"] == nil {
		t.Errorf("one more: %d, %v", status, body)
	}
	if status := get(t, s, "/v1/info", &body); status != http.StatusOK {
		t.Errorf("/v1/info: %d", status)
	}
}
