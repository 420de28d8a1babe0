package updates

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestCompleteRunIsProved has figures that can be worked out by hand: 10 batches in the warm-up and 40
// in the window, of 25 updates each.
func TestCompleteRunIsProved(t *testing.T) {
	l := short(nil)
	l.run(t)
	total := l.total(t)
	if total.Scheduled != 40 || total.OK != 40 || total.Attempts != 40 {
		t.Errorf("%d scheduled, %d ok, %d attempts", total.Scheduled, total.OK, total.Attempts)
	}
	if p50 := total.ServiceTime.P50NS; p50 == nil ||
		time.Duration(*p50).Round(100*time.Microsecond) != 3*time.Millisecond {
		t.Errorf("service time %v", p50)
	}
	want := rundoc.Proof{
		Complete: true, Published: 50, Received: 50, Updates: 1250, Applied: 1250, StateKnown: true,
		Expected: rundoc.StateSum{Live: 1250, Digest: l.proof.Expected.Digest},
		Found:    rundoc.StateSum{Live: 1250, Digest: l.proof.Expected.Digest},
	}
	if diff := cmp.Diff(want, l.proof); diff != "" {
		t.Error(diff)
	}
	if l.manifest.Batches != 50 || l.manifest.Updates != 1250 || l.manifest.Run != 99 {
		t.Errorf("%+v", l.manifest)
	}
}

// TestMessagesCarryTheSchedule finds the schedule in the messages: equal gaps, the warm-up apart, and
// sent when the schedule said so.
func TestMessagesCarryTheSchedule(t *testing.T) {
	l := short(nil)
	l.run(t)
	var window []int64
	sequences := map[uint32][]uint64{}
	for _, h := range l.broker.headers {
		if h.Clock != 5 || h.Publisher.Run != 99 || h.Count != 25 || h.Sent < h.Scheduled || h.Sent > h.Scheduled+1e6 {
			t.Errorf("%+v", h)
		}
		if !h.Warmup {
			window = append(window, h.Scheduled)
		}
		sequences[h.Publisher.Number] = append(sequences[h.Publisher.Number], h.Sequence)
	}
	if len(window) != 40 {
		t.Fatalf("%d batches in the window", len(window))
	}
	slices.Sort(window)
	for i, at := range window {
		if d := at - window[0] - int64(i)*25e6; d < -1 || d > 1 {
			t.Errorf("batch %d was due %v after the first", i, time.Duration(at-window[0]))
		}
	}
	for number, list := range sequences {
		slices.Sort(list)
		for i, s := range list {
			if s != uint64(i) {
				t.Errorf("publisher %d: sequence %d stands at place %d", number, s, i)
			}
		}
	}
}

// TestPublishersAreAddedForASlowBroker has a broker that takes a second for each of 40 batches a second, and publishers
// that may have 4 on their way.
func TestPublishersAreAddedForASlowBroker(t *testing.T) {
	l := short(func(u *Plan) { u.Load.Clients, u.Load.Pipeline, u.Load.WarmupTime = 1, 4, 0 })
	l.plan.Load.MaxClients = 100
	l.broker.takes = func(int) time.Duration { return time.Second }
	l.run(t)
	if total := l.total(t); total.OK != 40 || l.doc.Ledger.Clients != 10 {
		t.Errorf("%d ok, %d publishers, want 40 and 10", total.OK, l.doc.Ledger.Clients)
	}
}

// TestLateBatchKeepsItsScheduledTime has a broker that takes twice as long as the schedule
// leaves, and one batch on its way at a time.
func TestLateBatchKeepsItsScheduledTime(t *testing.T) {
	l := short(func(u *Plan) { u.Load.Clients, u.Load.Pipeline, u.Load.WarmupTime = 1, 1, 0 })
	l.broker.takes = func(int) time.Duration { return 50 * time.Millisecond }
	l.run(t)
	first := l.broker.headers[0].Scheduled
	for i, h := range l.broker.headers {
		due, sent := h.Scheduled-first, h.Sent-first
		if i := int64(i); due < i*25e6-1 || due > i*25e6+1 || sent < i*50e6 || sent > i*50e6+1e6 {
			t.Errorf("batch %d was due at %v and sent at %v", i, time.Duration(due), time.Duration(sent))
		}
	}
}

// TestStateDependsOnlyOnTheSeed varies what must not matter.
func TestStateDependsOnlyOnTheSeed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, c := range []struct {
		name string
		edit func(*Plan)
	}{
		{"unique keys", func(*Plan) {}},
		{"unique keys, deletes and sets", func(u *Plan) { u.Deletes, u.Sets = .2, .3 }},
		{"hot keys", func(u *Plan) { u.HotKeys = 100 }},
		{"hot keys, deletes and sets", func(u *Plan) { u.HotKeys, u.Deletes, u.Sets = 60, .4, .5 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var first rundoc.Proof
			for i := range 6 {
				l := short(func(u *Plan) {
					c.edit(u)
					u.Load.Seed, u.Load.WarmupTime = seed, time.Second // a burst has all of that second's
					if i > 0 {
						u.Load.Clients, u.Load.Pipeline = 1+r.IntN(6), 1+r.IntN(9)
						u.Codec = []string{"compact", "json", "avro"}[r.IntN(3)]
						u.Load.Arrivals = []plan.Arrivals{plan.Constant, plan.Burst}[r.IntN(2)]
					}
				})
				if i > 0 {
					takes := time.Duration(r.IntN(20)) * time.Millisecond
					l.broker.takes = func(int) time.Duration { return takes }
				}
				l.run(t)
				if !l.proof.Complete {
					t.Fatalf("%d publishers, %d in flight, %s: %q",
						l.plan.Load.Clients, l.plan.Load.Pipeline, l.plan.Codec, l.proof.Problems)
				}
				if i == 0 {
					first = l.proof
				}
				if l.proof.Found != first.Found || l.proof.Updates != first.Updates {
					t.Errorf("%d publishers, %d in flight: %+v, want %+v",
						l.plan.Load.Clients, l.plan.Load.Pipeline, l.proof, first)
				}
			}
			other := short(func(u *Plan) { c.edit(u); u.Load.Seed, u.Load.WarmupTime = seed+1, time.Second })
			other.run(t)
			if other.proof.Found.Digest == first.Found.Digest {
				t.Error("another seed leads to the same state")
			}
		})
	}
}

var closed = &topic.Error{Cause: topic.CauseClosed, Err: errors.New("gone")}

// TestRetriesKeepTheSequence fails publishings, some of which had arrived.
func TestRetriesKeepTheSequence(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	// Five of nine attempts fail: the drain has to have room for as many in a row as may come.
	l := short(func(u *Plan) {
		u.Load.Retry.InitialBackoff, u.Load.Retry.MaxBackoff, u.Load.Retry.Max = 10*time.Millisecond,
			10*time.Millisecond, 1000
	})
	some := func(int, []byte) error {
		switch r.IntN(6) {
		case 0:
			return closed
		case 1:
			return &topic.Error{Cause: topic.CauseThrottled, Err: errors.New("slow down")}
		}
		return nil
	}
	l.broker.refuse, l.broker.lose = some, some
	l.run(t)
	if !l.proof.Complete || l.proof.Duplicates == 0 || l.proof.Published != 50 {
		t.Errorf("%+v", l.proof)
	}
	total := l.total(t)
	causes := map[string]bool{}
	for _, c := range total.Causes {
		causes[c.Cause] = true
	}
	if !causes["closed"] || !causes["throttled"] || len(causes) != 2 || total.Retries == 0 || total.OK != 40 {
		t.Errorf("causes %v, %d retries, %d ok", causes, total.Retries, total.OK)
	}
	if l.broker.connections <= 4 {
		t.Errorf("%d connections: a lost one was not replaced", l.broker.connections)
	}
}

// TestUnacknowledgedBatchesAreUnsure gives some batches up for good, half of which arrived.
func TestUnacknowledgedBatchesAreUnsure(t *testing.T) {
	l := short(func(u *Plan) { u.HotKeys = 30; u.Load.Retry.Max = 0 })
	final := &topic.Error{Cause: topic.CauseDenied, Final: true, Err: errors.New("no")}
	l.broker.refuse = func(n int, _ []byte) error {
		if n%5 == 1 {
			return final
		}
		return nil
	}
	l.broker.lose = func(n int, _ []byte) error {
		if n%5 == 3 {
			return final
		}
		return nil
	}
	l.run(t)
	unsure, arrived := 0, 0
	for _, p := range l.manifest.Publishers {
		unsure += len(p.Unsure)
		arrived += len(p.Arrived)
	}
	if unsure != 20 || arrived != 10 || l.manifest.Batches != 30 {
		t.Errorf("%d unsure, %d of them arrived, %d acknowledged", unsure, arrived, l.manifest.Batches)
	}
	if !l.proof.Complete || l.proof.Unsure != 10 || l.proof.Received != 40 || l.proof.Lost != 0 {
		t.Errorf("%+v", l.proof)
	}
	if total := l.total(t); total.Failed != 16 {
		t.Errorf("%d failed", total.Failed)
	}
	// Another server, which did not get the same: its state cannot be told from a wrong one.
	alone, err := l.work.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if alone.Unknown != 20 || alone.Batches != 30 || l.manifest.Unknown != 0 {
		t.Errorf("without a server's word %d batches are unknown and %d known; with it %d",
			alone.Unknown, alone.Batches, l.manifest.Unknown)
	}
	if got := proof.Check(&alone, proof.Answer{Found: l.broker.server.run(), AtLeastOnce: true}); got.Complete || got.StateKnown ||
		!got.Unknown {
		t.Errorf("%+v", got)
	}
	if got := proof.Check(&l.manifest, proof.Answer{Found: l.broker.server.run(), AtLeastOnce: true}); !got.Complete {
		t.Errorf("%q", got.Problems)
	}
}

// A batch that the broker refused in each attempt was not published, and that needs no server's word. The report has
// what the broker said.
func TestRefusedBatchesAreNotPublished(t *testing.T) {
	l := short(func(u *Plan) { u.Load.WarmupTime, u.Load.Retry.Max = 0, 2 })
	full := topic.Fail(topic.CauseFull, false, "publishing: the stream is full")
	refused := 0
	l.broker.refuse = func(n int, _ []byte) error {
		switch {
		case n == 39: // the first attempt of the last batch
			return closed
		case n >= 10:
			refused++
			return full
		}
		return nil
	}
	l.run(t)
	total := l.total(t)
	if total.OK != 10 || total.Failed != 30 || refused != 89 {
		t.Fatalf("%d ok, %d failed, %d attempts refused", total.OK, total.Failed, refused)
	}
	m, err := l.work.Manifest()
	if err != nil || m.Refused != 29 || m.Unknown != 1 || m.Batches != 10 {
		t.Errorf("%d batches are refused, %d unknown, %d acknowledged: %v", m.Refused, m.Unknown, m.Batches, err)
	}
	want := rundoc.Fates{NeverPublished: 29, Unknown: 11}
	if diff := cmp.Diff(want, l.work.Fates(Word{})); diff != "" {
		t.Errorf("fates without a server: %s", diff)
	}
	messages := []rundoc.FailureMessage{{Cause: "closed", Message: "gone"}, {Cause: "full", Message: "the stream is full"}}
	if diff := cmp.Diff(messages, l.work.failures.list()); diff != "" {
		t.Error(diff)
	}
	if late := *l.doc.Generator.OwnLate; late != 0 {
		t.Errorf("%d batches are late because of the publisher", late)
	}
}

// TestUnresponsiveServerLeavesTheManifest: nothing is known to be lost, and nothing to be there.
func TestUnresponsiveServerLeavesTheManifest(t *testing.T) {
	l := short(nil)
	l.run(t)
	m, p, err := l.work.Conclude(proof.Answer{Early: "It did not answer."})
	if diff := cmp.Diff(l.manifest, m); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if want := (rundoc.Proof{Unknown: true, Published: 50, Expected: l.proof.Expected,
		Problems: []string{"It did not answer."}}); !cmp.Equal(want, p) {
		t.Error(cmp.Diff(want, p))
	}
}

// TestTimedOutBatchIsRetried has a broker that is slower than the bound once.
func TestTimedOutBatchIsRetried(t *testing.T) {
	l := short(func(u *Plan) { u.Load.Retry.Timeout = 100 * time.Millisecond })
	l.broker.takes = func(n int) time.Duration {
		if n == 30 {
			return 100 * time.Millisecond
		}
		return time.Millisecond
	}
	l.broker.lose = func(n int, _ []byte) error {
		if n == 30 {
			return &topic.Error{Cause: topic.CauseTimeout, Err: errors.New("no answer")}
		}
		return nil
	}
	l.run(t)
	total := l.total(t)
	if len(total.Causes) == 0 || total.Causes[0].Cause != "timeout" || total.OK != 40 || !l.proof.Complete ||
		l.proof.Duplicates == 0 {
		t.Errorf("causes %v, %d ok, %+v", total.Causes, total.OK, l.proof)
	}
}

// TestInterruptedRunIsProved stops in the middle.
func TestInterruptedRunIsProved(t *testing.T) {
	l := short(nil)
	var once bool
	l.broker.lose = func(n int, _ []byte) error {
		if n == 25 && !once {
			once = true
			close(l.stop)
		}
		return nil
	}
	l.run(t)
	if !l.doc.Interrupted || !l.proof.Complete || l.proof.Published < 26 || l.proof.Published > 27 {
		t.Errorf("interrupted %v, %+v", l.doc.Interrupted, l.proof)
	}
}

// change edits one row of a message and encodes it again.
func change(t *testing.T, m []byte, edit func(h *delta.Header, rows []delta.Row) []delta.Row) [][]byte {
	h, rows, err := delta.Decode(slices.Clone(m), nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	rows = edit(&h, rows)
	again, err := delta.Append(nil, &h, rows)
	if err != nil {
		t.Error(err)
	}
	return [][]byte{again}
}

// TestProofDetectsEachFault breaks the service in one place at a time.
func TestProofDetectsEachFault(t *testing.T) {
	edited := func(edit func(h *delta.Header, rows []delta.Row) []delta.Row) func(*testing.T, *lab) {
		return func(t *testing.T, l *lab) {
			l.broker.deliver = func(n int, m []byte) [][]byte {
				if n != 20 {
					return [][]byte{slices.Clone(m)}
				}
				return change(t, m, edit)
			}
		}
	}
	for _, c := range []struct {
		name  string
		fault func(*testing.T, *lab)
		check func(p rundoc.Proof) bool
	}{
		{"a message lost", func(_ *testing.T, l *lab) {
			l.broker.deliver = func(n int, m []byte) [][]byte {
				if n == 20 {
					return nil
				}
				return [][]byte{slices.Clone(m)}
			}
		}, func(p rundoc.Proof) bool {
			return p.Lost == 1 && len(p.LostSpans) == 1 && p.Received == 49 && p.Updates == 49*25 &&
				len(p.Problems) == 2
		}},
		{"a message damaged", func(_ *testing.T, l *lab) {
			l.broker.deliver = func(n int, m []byte) [][]byte {
				m = slices.Clone(m)
				if n == 20 {
					m[100] ^= 1
				}
				return [][]byte{m}
			}
		}, func(p rundoc.Proof) bool { return p.Lost == 1 && p.Unreadable == 1 }},
		{"a batch taken twice", func(_ *testing.T, l *lab) {
			l.broker.server.forgetful = true
			l.broker.deliver = func(n int, m []byte) [][]byte {
				if n == 20 {
					return [][]byte{slices.Clone(m), slices.Clone(m)}
				}
				return [][]byte{slices.Clone(m)}
			}
		}, func(p rundoc.Proof) bool {
			return p.Lost == 0 && p.Applied+p.Stale == 51*25 && p.Updates == 1250 && p.Expected == p.Found
		}},
		{"a value changed", edited(func(_ *delta.Header, rows []delta.Row) []delta.Row {
			rows[7].Value[0] ^= 1
			return rows
		}), func(p rundoc.Proof) bool { return p.Lost == 0 && p.Expected.Live == p.Found.Live }},
		{"a commit time changed", edited(func(_ *delta.Header, rows []delta.Row) []delta.Row {
			rows[7].Commit++
			return rows
		}), func(p rundoc.Proof) bool { return p.Lost == 0 }},
		{"a row left out",
			edited(func(_ *delta.Header, rows []delta.Row) []delta.Row { return slices.Delete(rows, 7, 8) }),
			func(p rundoc.Proof) bool { return p.Applied == 1249 && p.Updates == 1250 }},
		{"a row turned into a delete", edited(func(_ *delta.Header, rows []delta.Row) []delta.Row {
			rows[7].Kind, rows[7].Value = delta.Delete, nil
			return rows
		}), func(p rundoc.Proof) bool { return p.Found.Live == 1249 }},
		{"a batch that nobody published", func(t *testing.T, l *lab) {
			l.broker.deliver = func(n int, m []byte) [][]byte {
				all := [][]byte{slices.Clone(m)}
				if n == 20 {
					all = append(all, change(t, m, func(h *delta.Header, rows []delta.Row) []delta.Row {
						h.Sequence = 1000
						return rows
					})...)
				}
				return all
			}
		}, func(p rundoc.Proof) bool { return p.Foreign == 1 && p.Lost == 0 }},
		{"another publisher's batch", func(t *testing.T, l *lab) {
			l.broker.deliver = func(n int, m []byte) [][]byte {
				all := [][]byte{slices.Clone(m)}
				if n == 20 {
					all = append(all, change(t, m, func(h *delta.Header, rows []delta.Row) []delta.Row {
						h.Publisher.Number = 77
						return rows
					})...)
				}
				return all
			}
		}, func(p rundoc.Proof) bool { return p.Foreign == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := short(nil)
			c.fault(t, l)
			l.run(t)
			if l.proof.Complete || len(l.proof.Problems) == 0 || !c.check(l.proof) {
				t.Errorf("%+v", l.proof)
			}
		})
	}
}

// TestPublishDoesNotAllocate publishes to a broker that does nothing.
func TestPublishDoesNotAllocate(t *testing.T) {
	p := short(nil).plan
	p.Batch = 1000
	b := newBench(t, p)
	index := uint64(0)
	if allocs := testing.AllocsPerRun(500, func() { b.one(t, &index) }); allocs > 0 {
		t.Errorf("%v allocations for each batch", allocs)
	}
}
