package proof

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// evidence is of a good run: 30 batches of ten updates by two publishers, three of them never
// acknowledged, of which one arrived.
func evidence() Evidence {
	return Evidence{
		Manifest: &rundoc.Manifest{
			Run: 1, Batches: 27, Updates: 280, Live: 200, Digest: 77,
			Publishers: []rundoc.Published{{Publisher: 0, Next: 20, Unsure: []uint64{19, 4}, Arrived: []uint64{4}},
				{Publisher: 5, Next: 10, Unsure: []uint64{0}}},
		},
		Found: &kvapi.Run{
			Instance: "a", Rows: kvapi.Rows{Applied: 250, Stale: 30, Duplicate: 10},
			State: &kvapi.State{Live: 200, Tombstones: 3, Digest: 77},
			Publishers: []kvapi.Received{
				{Publisher: 0, Next: 19, Batches: 19, Duplicates: 1},
				{Publisher: 5, Beyond: []kvapi.Span{{First: 1, Last: 9}}, Batches: 9},
			},
		},
		Updates: 280, Instance: "a", AtLeastOnce: true,
	}
}

func TestProveCompleteRun(t *testing.T) {
	want := rundoc.Proof{
		Complete: true, Published: 27, Received: 28, Unsure: 1, Duplicates: 1, Updates: 280, Applied: 250, Stale: 30,
		StateKnown: true, Expected: rundoc.StateSum{Live: 200, Digest: 77},
		Found: rundoc.StateSum{Live: 200, Digest: 77},
	}
	if diff := cmp.Diff(want, Prove(evidence())); diff != "" {
		t.Error(diff)
	}
}

func TestProveReportsProblems(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*Evidence)
		words []string // of the problems; none: the proof is complete
		check func(*rundoc.Proof) bool
	}{
		{"unreadable messages are nobody's batch", func(e *Evidence) { e.Found.Unreadable = 4 }, nil,
			func(p *rundoc.Proof) bool { return p.Unreadable == 4 }},
		{"another instance", func(e *Evidence) { e.Found.Instance = "b" }, nil,
			func(p *rundoc.Proof) bool { return p.Restarted }},
		{"nothing was received",
			func(e *Evidence) { e.Found.Publishers = nil; e.Updates = 0; e.Found.Rows = kvapi.Rows{} },
			[]string{"27 of 27 batches", "publisher 0: 0–3, 5–18, publisher 5: 1–9.", "cannot be compared"},
			func(p *rundoc.Proof) bool { return p.Lost == 27 && len(p.LostSpans) == 3 && !p.StateKnown }},
		{"two were lost, and the broker has one", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Backlog, e.Found.Unacked = 17, 17, 1, -1
		},
			[]string{"2 of 27 batches acknowledged by the broker were not received: publisher 0: " +
				"17–18. The broker still holds 1 message."},
			func(p *rundoc.Proof) bool { return p.Lost == 2 && p.Undrained == 1 }},
		{"the broker has all that is missing", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Backlog, e.Found.Unacked = 17, 17, 5, 2
		}, []string{"the server did not receive them in time"}, func(p *rundoc.Proof) bool { return p.Undrained == 2 }},
		{"thrown away, at most once", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Dropped, e.AtLeastOnce = 18, 18, 1, false
		},
			[]string{"publisher 0: 18. The broker or the client library dropped 1 message. This transport " +
				"delivers at most once and can lose messages; if two servers share a subscription"},
			func(p *rundoc.Proof) bool { return p.Lost == 1 && p.Undrained == 0 }},
		{"the server refused them", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Refusal, e.AtLeastOnce = 17, 17,
				"the memory\nis full.", false
		}, []string{"publisher 0: 17–18. The server could not store batches: the memory is full."},
			func(p *rundoc.Proof) bool { return !strings.Contains(p.Problems[0], "transport") }},
		{"the server refused them, and says how many", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Refusal, e.Found.Refused = 17, 17,
				"no space left on device", 1200
		}, []string{"17–18. The server could not store batches (1,200 deliveries refused): no space left on device."},
			nil},
		{"the server refused them in the middle", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Refusal = 17, 17, "full"
			e.Found.Partial, e.Found.State.Digest = kvapi.Partial{Batches: 2, Updates: 1300}, 5
		}, []string{"could not store batches: full.", "The state of the server is wrong: ",
			" It contains 1,300 updates of 2 batches that the server refused."},
			func(p *rundoc.Proof) bool { return p.Partial == 1300 && p.Lost == 2 }},
		{"the server could not read them", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Unreadable, e.Found.Example = 17, 17, 2,
				"a key of 65536 bytes"
		},
			[]string{"The server skipped 2 messages that it could not process; first error: a key of 65536 bytes."},
			func(p *rundoc.Proof) bool { return p.Lost == 2 }},
		{"another server has them", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Elsewhere = 17, 17, "nats://b/other"
		}, []string{"The broker holds no more messages for this server. The server reads from nats://b/other."},
			func(p *rundoc.Proof) bool { return p.Lost == 2 }},
		{"the server does not tell why", func(e *Evidence) { e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches = 17, 17 },
			[]string{"no more messages for this server. The server does not report subscription events."}, nil},
		{"the server knows no cause", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Watched = 17, 17, true
			// Of before the run, and of nobody's batches.
			e.Found.Unreadable, e.Found.Example = 3, "a message of before"
		}, []string{"no more messages for this server. The server reported no cause."}, nil},
		{"the server knows causes", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Watched = 17, 17, true
			e.Found.Events = []kvapi.Event{
				{Kind: "receive-failed:refused", What: "connection refused", Count: 2000},
				{Kind: "reconnected", What: "the connection was made again", Count: 1},
				{Kind: "remade", What: "the group kv was gone, and was made again", Count: 2},
			}
		}, []string{"no more messages for this server. Reported by the server: the group kv was gone, and was made again (2 times); " +
			"the connection was made again."}, nil},
		{"the server could not receive, and nobody delivers again", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Watched, e.AtLeastOnce = 17, 17, true, false
			e.Found.Events = []kvapi.Event{{Kind: "receive-failed:refused", What: "connection refused.", Count: 2000}}
		}, []string{"Reported by the server: receive failed: connection refused (2,000 times). This transport"}, nil},
		{"the server could not read them, of this run", func(e *Evidence) {
			e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches, e.Found.Watched = 17, 17, true
			e.Found.Unreadable, e.Found.Example = 9, "no batch"
			e.Found.Events = []kvapi.Event{{Kind: kvapi.EventUnreadable, What: "no batch", Count: 2}}
		}, []string{"The server skipped 2 messages that it could not process; first error: no batch."}, nil},
		{"other runs came to another state", func(e *Evidence) {
			e.Found.State.Digest, e.Found.Watched, e.Found.Others = 78, true, kvapi.Others{Runs: 1, Batches: 1400}
		}, []string{"It also received 1,400 batches of another run in that time"}, nil},
		{"no other run came to another state", func(e *Evidence) { e.Found.State.Digest, e.Found.Watched = 78, true },
			[]string{"It received no batch of another run in that time."}, nil},
		{"more than was published", func(e *Evidence) {
			e.Found.Publishers[0].Next,
				e.Found.Publishers[0].Batches = 25, 25
		},
			[]string{"received 5 batches", "cannot be compared"},
			func(p *rundoc.Proof) bool { return p.Foreign == 5 && p.Lost == 0 }},
		{"a publisher that there is not", func(e *Evidence) {
			e.Found.Publishers = append(e.Found.Publishers, kvapi.Received{Publisher: 9, Next: 3, Batches: 3})
		}, []string{"received 3 batches"},
			func(p *rundoc.Proof) bool { return p.Foreign == 3 && p.Received == 31 }},
		{"counts that are not the sequences", func(e *Evidence) { e.Found.Publishers[0].Batches = 21 },
			[]string{"The server counted 30 batches but lists 28 sequences."}, nil},
		{"an update is missing", func(e *Evidence) { e.Found.Rows.Stale-- },
			[]string{"280 updates were received, but only 279"}, nil},
		{"an update too much", func(e *Evidence) { e.Found.Rows.Applied++ },
			[]string{"281 were applied or found stale: some were processed twice"}, nil},
		{"updates that nobody counted", func(e *Evidence) { e.Updates = -1; e.Found.Rows.Applied = 3 }, nil,
			func(p *rundoc.Proof) bool { return p.Updates == 33 }},
		{"another digest", func(e *Evidence) { e.Found.State.Digest = 78 },
			[]string{"200 keys with digest 000000000000004e, expected 200 with 000000000000004d."},
			func(p *rundoc.Proof) bool { return p.StateKnown }},
		{"another number of keys", func(e *Evidence) { e.Found.State.Live = 1201 },
			[]string{"1,201 keys with digest"}, nil},
		{"a state that explains itself", func(e *Evidence) {
			e.Found.State.Digest = 78
			e.OfReceived = &rundoc.StateSum{Live: 200, Digest: 78}
		}, []string{"It matches the received batches."}, nil},
		{"no state", func(e *Evidence) { e.Found.State = nil }, []string{"did not report its state"},
			func(p *rundoc.Proof) bool { return !p.StateKnown }},
		{"another of the unsure", func(e *Evidence) { e.Manifest.Publishers[1].Arrived = []uint64{0} },
			[]string{"differ from those in the manifest"},
			func(p *rundoc.Proof) bool { return !p.StateKnown }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := evidence()
			c.edit(&e)
			p := Prove(e)
			if p.Complete != (len(c.words) == 0) || p.Complete != (len(p.Problems) == 0) {
				t.Fatalf("%+v", p)
			}
			if all := strings.Join(p.Problems, "\n"); !containsAll(all, c.words) || c.check != nil && !c.check(&p) {
				t.Errorf("%q\n%+v", p.Problems, p)
			}
		})
	}
}

// TestCheckComparesUpdatesOnlyWhenAllArrived compares the updates where all is there, and only there.
func TestCheckComparesUpdatesOnlyWhenAllArrived(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(*kvapi.Run)
		updates int64 // that the proof counts
	}{
		{"all is there, an update is not", func(r *kvapi.Run) { r.Rows.Stale-- }, 280},
		{"a batch is lost", func(r *kvapi.Run) {
			r.Publishers[0].Next, r.Publishers[0].Batches, r.Rows.Stale, r.State.Digest = 18, 18, 20, 5
		}, 270},
		{"the state is unknown", func(r *kvapi.Run) { r.Rows.Stale, r.State = 20, nil }, 270},
	} {
		e := evidence()
		c.edit(e.Found)
		e.Manifest.Updates = 280
		p := Check(e.Manifest, Answer{Found: e.Found, AtLeastOnce: true})
		if p.Published != 27 || p.Updates != c.updates {
			t.Errorf("%s: %d updates, want %d; %q", c.name, p.Updates, c.updates, p.Problems)
		}
	}
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// TestProveUnknown when nothing contradicts it, and the server could not be asked for all.
func TestProveUnknown(t *testing.T) {
	const early = "It did not answer."
	for _, c := range []struct {
		name    string
		edit    func(*Evidence)
		unknown bool
		first   string // problem
	}{
		{"all is known", func(e *Evidence) { e.Early = early }, false, ""},
		{"no state", func(e *Evidence) { e.Found.State = nil }, true, "The server did not report its state."},
		{"no state, since it fell silent", func(e *Evidence) { e.Early, e.Found.State = early, nil }, true, early},
		{"what is missing may have come since", func(e *Evidence) {
			e.Early, e.Found.State, e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches = early, nil, 17, 17
		}, true, early},
		{"and with a state", func(e *Evidence) {
			e.Early, e.Found.State.Digest, e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches = early, 5, 17, 17
		}, true, early},
		{"what is missing at the end", func(e *Evidence) {
			e.Found.State, e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches = nil, 17, 17
		}, false, "2 of 27"},
		{"others of the unsure", func(e *Evidence) { e.Manifest.Publishers[1].Arrived = []uint64{0} }, true,
			"The states cannot be compared"},
		{"all arrived, and another state", func(e *Evidence) { e.Early, e.Found.State.Digest = early, 5 },
			false, early},
		{"what nobody published", func(e *Evidence) {
			e.Early, e.Found.State, e.Found.Publishers[0].Next, e.Found.Publishers[0].Batches = early, nil, 25, 25
		}, false, early},
		{"taken twice", func(e *Evidence) { e.Early, e.Found.State, e.Found.Rows.Applied = early, nil, 999 },
			false, early},
	} {
		e := evidence()
		c.edit(&e)
		p := Prove(e)
		if p.Unknown != c.unknown || p.Complete != (c.first == "") ||
			!p.Complete && !strings.HasPrefix(p.Problems[0], c.first) {
			t.Errorf("%s: complete %t, unknown %t, %q", c.name, p.Complete, p.Unknown, p.Problems)
		}
	}
}

// TestProofOfHugeSequences has a document and a server that claim all the sequences there are.
func TestProofOfHugeSequences(t *testing.T) {
	e := evidence()
	e.Manifest.Publishers = []rundoc.Published{{Publisher: 1, Next: math.MaxUint64},
		{Publisher: 2, Next: math.MaxUint64}, {Publisher: 3}}
	e.Found.Publishers = []kvapi.Received{{Publisher: 3, Next: math.MaxUint64}, {Publisher: 4, Next: math.MaxUint64}}
	p := Prove(e)
	if p.Complete || p.Lost != math.MaxInt64 || p.Foreign != math.MaxInt64 || p.Received != math.MaxInt64 {
		t.Errorf("%+v", p)
	}
}

// TestProofListsAtMost1000LostRanges loses every other batch.
func TestProofListsAtMost1000LostRanges(t *testing.T) {
	e := evidence()
	var got kvapi.Received
	for s := uint64(0); s < 5000; s += 2 {
		got.Beyond = append(got.Beyond, kvapi.Span{First: s, Last: s})
		got.Batches++
	}
	e.Manifest.Publishers = []rundoc.Published{{Next: 5000}}
	e.Manifest.Batches = 5000
	e.Found.Publishers = []kvapi.Received{got}
	p := Prove(e)
	if p.Lost != 2500 || len(p.LostSpans) != 1000 ||
		!strings.Contains(p.Problems[0], "publisher 0: 1, 3, 5, 7, 9, and 2,495 more ranges") {
		t.Errorf("%d lost, %d ranges, %q", p.Lost, len(p.LostSpans), p.Problems)
	}
}
