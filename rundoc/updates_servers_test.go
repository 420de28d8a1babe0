package rundoc_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// severalServers is a sound run with three servers: each batch takes 5 µs to the first, and 20 µs to the last.
func severalServers(t testing.TB, edit func(d *rundoc.UpdatesDetail)) *rundoc.Run {
	run := updatesRun(t, func(d *rundoc.UpdatesDetail) {
		n := d.Stage(rundoc.StageApply).Summary.Count
		var servers []rundoc.UpdateServer
		for i := range int64(3) {
			s := rundoc.ServerOf(d)
			proof := *d.Proof
			s.Proof, s.First, s.Last = &proof, n/2, 0
			if i == 2 {
				s.First, s.Last = n-2*(n/2), n
			}
			servers = append(servers, s)
		}
		d.NoClock, d.Receives, d.Messages = 0, 0, 0
		d.Stages = []rundoc.NamedStage{d.Stages[0], updateStage(rundoc.StageFirst, n, 700_000),
			updateStage(rundoc.StageE2EScheduled, n, 1_000_000), updateStage(rundoc.StageSpread, n, 300_000)}
		d.Spread = &rundoc.UpdateSpread{Batches: n}
		d.SetServers(servers, nil, d.Manifest.Batches)
	})
	dueOfServers(t, run)
	if edit != nil {
		edit(run.Updates())
	}
	return run
}

// dueOfServers fills in what was due: all of it was in time everywhere.
func dueOfServers(t testing.TB, run *rundoc.Run) {
	t.Helper()
	d := run.Updates()
	total, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	account := func(timed *rundoc.UpdateStage) *rundoc.DueBatches {
		b, err := rundoc.NewDueBatches(total.Scheduled, 1e9, timed, rundoc.Fates{Received: d.Spread.Batches})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	d.Due = account(d.Stage(rundoc.StageE2EScheduled))
	for i := range d.Servers {
		d.Servers[i].Due = account(d.Alone(i).Stage(rundoc.StageE2EScheduled))
	}
}

func TestJudgeSeveralServers(t *testing.T) {
	base := severalServers(t, nil)
	for _, c := range []struct {
		name string
		edit func(d *rundoc.UpdatesDetail)
		want string // in a reason; "" for none about the updates
	}{
		{"sound", func(*rundoc.UpdatesDetail) {}, ""},
		{"one server in the list", func(d *rundoc.UpdatesDetail) { d.Servers = d.Servers[:1] }, "there are 1 servers"},
		{"nothing between them", func(d *rundoc.UpdatesDetail) { d.Spread = nil }, "there are 3 servers"},
		{"too many first", func(d *rundoc.UpdatesDetail) { d.Servers[1].First++ }, "one of the servers was first for"},
		{"too few last", func(d *rundoc.UpdatesDetail) { d.Servers[2].Last-- }, "one of the servers was first for"},
		{"a spread below zero", func(d *rundoc.UpdatesDetail) { negative(d.Stage(rundoc.StageSpread), 1, -3) },
			"the spread is below zero for 1 batches"},
		{"a batch without a spread", func(d *rundoc.UpdatesDetail) {
			*d.Stage(rundoc.StageSpread) = updateStage("", d.Spread.Batches-1, 300_000).UpdateStage
		}, "one of the stages between them has"},
		{"a spread that is no difference", func(d *rundoc.UpdatesDetail) {
			*d.Stage(rundoc.StageSpread) = updateStage("", d.Spread.Batches, 310_000).UpdateStage
		}, "to the first and the spread are"},
		{"no proof of the whole", func(d *rundoc.UpdatesDetail) { d.Proof = nil }, "each server has a proof, and the run has none"},
		{"no proof of one server", func(d *rundoc.UpdatesDetail) { d.Servers[1].Proof = nil }, "server 2 has no proof"},
		{"publish of fewer batches", func(d *rundoc.UpdatesDetail) {
			d.Stages[0] = updateStage(rundoc.StagePublish, d.Spread.Batches-1, 1000)
		}, "updates: publish has"},
		{"no batch known of every server", func(d *rundoc.UpdatesDetail) {
			d.Stages, d.Spread.Batches, d.Due = d.Stages[:1], 0, nil
			for i := range d.Servers {
				d.Servers[i].First, d.Servers[i].Last, d.Servers[i].Due = 0, 0, nil
			}
		}, ""},
		{"a first server that is later than the last", func(d *rundoc.UpdatesDetail) {
			*d.Stage(rundoc.StageFirst) = updateStage("", d.Spread.Batches, 1_100_000).UpdateStage
		}, "the first server is later than the last"},
		{"more broken laws of a server than are shown", func(d *rundoc.UpdatesDetail) {
			d.Servers[1].Series = make([]rundoc.UpdateSecond, 20)
		}, "more are not shown"},
		{"the rate of another", func(d *rundoc.UpdatesDetail) { d.AppliedPerS++ }, "but by the servers they are"},
		{"a slower server", func(d *rundoc.UpdatesDetail) { d.Servers[1].BacklogNS = 5 }, "but by the servers they are"},
		{"a law of one", func(d *rundoc.UpdatesDetail) { d.Servers[1].NoClock++ },
			"invariant violated: server 2: "},
		{"complete as a whole alone", func(d *rundoc.UpdatesDetail) {
			p := d.Servers[1].Proof
			p.Complete, p.Problems, p.StateKnown = false, []string{"It said nothing."}, false
		}, "it is complete for all servers true, and for each false"},
		{"lost at one, and not as a whole", func(d *rundoc.UpdatesDetail) {
			p := d.Servers[1].Proof
			p.Complete, p.Problems, p.Lost, p.Received = false, []string{"Lost."}, 1, p.Received-1
			p.LostSpans = []rundoc.LostSpan{{Last: 0}}
			d.Proof.Complete, d.Proof.Problems = false, []string{"Lost."}
		}, "0 batches were lost at one server or more, and at the one that lost most 1"},
		{"what was due of a server does not sum", func(d *rundoc.UpdatesDetail) { d.Servers[2].Due.Late++ },
			"server 3: due: "},
		{"what was due of all does not sum", func(d *rundoc.UpdatesDetail) { d.Due.Late++ }, "due: "},
		{"what was due is not told of one", func(d *rundoc.UpdatesDetail) { d.Servers[2].Due = nil },
			"known for all servers: true, for server 3: false"},
		{"in time everywhere, and late at one", func(d *rundoc.UpdatesDetail) {
			b := d.Servers[1].Due
			b.InTime, b.Late = b.InTime-1, b.Late+1
		}, "but at server 2 they are"},
		{"no moments of some", func(d *rundoc.UpdatesDetail) { d.Spread.Untold = 3 }, "For 3 batches not every server reported"},
		{"nothing of one", func(d *rundoc.UpdatesDetail) {
			*d.Servers[1].Proof = rundoc.Proof{Unknown: true, Published: d.Proof.Published, Expected: d.Proof.Expected,
				Problems: []string{"It has ended."}}
			d.Proof.Complete, d.Proof.Unknown, d.Proof.Problems = false, true, []string{"server 2: It has ended."}
		}, "It is unknown what server 2 (http://127.0.0.1:8095) received"},
		{"clocks that agree to less than the spread", func(d *rundoc.UpdatesDetail) { d.Spread.BoundNS = 400_000 },
			"may be due to the clocks alone"},
		{"another instance at one", func(d *rundoc.UpdatesDetail) {
			d.Servers[0].Proof.Restarted, d.Proof.Restarted = true, true
			d.Servers[0].AppliedPerS, d.AppliedPerS = 0, 0
		}, "Server 1 (http://127.0.0.1:8095): The server restarted"},
	} {
		all := strings.Join(rundoc.Judge(edited(t, base, c.edit)).Reasons, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: %q, want %q", c.name, all, c.want)
		}
	}
}

// TestSetServersCombinesTheWorst: the run is what the worst of its servers is, and says of which one each problem is.
func TestSetServersCombinesTheWorst(t *testing.T) {
	run := severalServers(t, nil)
	d := run.Updates()
	servers := d.Servers
	one := servers[1].Proof
	one.Complete, one.Lost, one.Received, one.Problems = false, 2, one.Received-2, []string{"2 were lost."}
	servers[2].Proof.Duplicates, servers[0].Proof.Duplicates = 3, 1
	servers[1].AppliedPerS /= 2
	servers[2].BacklogNS = 7
	servers[0].Clock = rundoc.UpdateClock{BoundNS: 4}
	servers[1].Clock = rundoc.UpdateClock{BoundNS: 3, DriftNS: -3}
	d.SetServers(servers, []rundoc.LostSpan{{Publisher: 1, First: 4, Last: 5}, {Publisher: 1, First: 8, Last: 8}},
		d.Manifest.Batches-3)
	want := rundoc.Proof{Published: d.Manifest.Batches, Received: d.Manifest.Batches - 3, Lost: 3, Duplicates: 4,
		LostSpans: []rundoc.LostSpan{{Publisher: 1, First: 4, Last: 5}, {Publisher: 1, First: 8, Last: 8}},
		Updates:   one.Updates, Applied: one.Applied, StateKnown: true, Expected: one.Expected, Found: one.Found,
		Problems: []string{"server 2 (http://127.0.0.1:8095): 2 were lost."},
	}
	if diff := cmp.Diff(&want, d.Proof); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d.AppliedPerS != servers[1].AppliedPerS || d.BacklogNS != 7 || d.Clock != servers[1].Clock {
		t.Errorf("%v updates/s, %d ns, clock %+v", d.AppliedPerS, d.BacklogNS, d.Clock)
	}
	if p := d.Proof; p.Outcome() != "incomplete" {
		t.Errorf("%s", p.Outcome())
	}
	// A server that could not be asked leaves the whole unknown.
	*one = rundoc.Proof{Unknown: true, Published: d.Manifest.Batches, Expected: one.Expected, Problems: []string{"No answer."}}
	d.SetServers(servers, nil, d.Manifest.Batches)
	if p := d.Proof; p.Complete || p.Outcome() != "unknown" {
		t.Errorf("%+v", p)
	}
}

// TestSetServersOfOneServerHasNoList: documents of one server have no list.
func TestSetServersOfOneServerHasNoList(t *testing.T) {
	before := updatesRun(t, nil).Updates()
	after := *before
	after.Stages = after.Stages[:1:1]
	after.Proof, after.Series, after.Receives, after.Server, after.Clock = nil, nil, 0, "", rundoc.UpdateClock{}
	after.SetServers([]rundoc.UpdateServer{rundoc.ServerOf(before)}, nil, 0)
	if diff := cmp.Diff(before, &after); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// withReads is a sound run with reads, which found each batch after 900 µs, or 200 µs sooner.
func withReads(t testing.TB, edit func(d *rundoc.UpdatesDetail)) *rundoc.Run {
	return updatesRun(t, func(d *rundoc.UpdatesDetail) {
		n := d.Stage(rundoc.StageApply).Summary.Count
		times := updateStage("", 1000, 300_000).Summary
		d.Reads = &rundoc.UpdateReads{
			Keys: rundoc.ReadRecent, RatePerS: 100, Readers: 8, Asked: 1500, Found: 1400,
			Operation: rundoc.Operation{Name: "read", Scheduled: 1005, OK: 1000, Unsent: 5, Attempts: 1000,
				ResponseTime: times, ServiceTime: times, FirstAttempt: times},
			Batches: &rundoc.ReadBatches{Batches: n, Seen: n, Times: updateStage("", n, 900_000).UpdateStage,
				Resolution: updateStage("", n, 200_000).UpdateStage},
		}
		if edit != nil {
			edit(d)
		}
	})
}

func TestJudgeReads(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(r *rundoc.UpdateReads)
		want string // in a reason; "" for none
	}{
		{"sound", func(*rundoc.UpdateReads) {}, ""},
		{"hot keys", func(r *rundoc.UpdateReads) { r.Keys, r.Batches = rundoc.ReadHot, nil }, ""},
		{"some are not found", func(r *rundoc.UpdateReads) {
			r.Batches.Seen -= 3
			r.Batches.Times = updateStage("", r.Batches.Seen, 900_000).UpdateStage
			r.Batches.Resolution = updateStage("", r.Batches.Seen, 200_000).UpdateStage
		}, ""},
		{"an outcome too many", func(r *rundoc.UpdateReads) { r.Operation.Unsent++ }, "invariant violated: reads: conservation: read"},
		{"a failure without a cause", func(r *rundoc.UpdateReads) { r.Operation.Failed, r.Operation.Unsent = 1, 4 },
			"invariant violated: reads: attribution: read"},
		{"times of others", func(r *rundoc.UpdateReads) { r.Operation.ResponseTime.MaxNS = 1 }, "invariant violated: reads: times: "},
		{"no rate", func(r *rundoc.UpdateReads) { r.RatePerS = 0 }, "which is inconsistent"},
		{"nobody reads", func(r *rundoc.UpdateReads) { r.Readers = 0 }, "which is inconsistent"},
		{"more found than asked for", func(r *rundoc.UpdateReads) { r.Found = r.Asked + 1 }, "which is inconsistent"},
		{"hot keys that are looked for", func(r *rundoc.UpdateReads) { r.Keys = rundoc.ReadHot }, "which is inconsistent"},
		{"recent keys that are not", func(r *rundoc.UpdateReads) { r.Batches = nil }, "which is inconsistent"},
		{"more seen than sent", func(r *rundoc.UpdateReads) { r.Batches.Batches-- }, "batches were found of"},
		{"more sent than due", func(r *rundoc.UpdateReads) { r.Batches.Batches += 1000 }, "batches were found of"},
		{"a time too few", func(r *rundoc.UpdateReads) {
			r.Batches.Times = updateStage("", r.Batches.Seen-1, 900_000).UpdateStage
		}, "have a time"},
		{"a time below zero", func(r *rundoc.UpdateReads) { negative(&r.Batches.Times, 1, -3) }, "have a time"},
		{"a resolution that is no part", func(r *rundoc.UpdateReads) {
			r.Batches.Resolution = updateStage("", r.Batches.Seen, 950_000).UpdateStage
		}, "a part of"},
		{"many failed", func(r *rundoc.UpdateReads) { r.Operation.Unsent, r.Operation.Scheduled = 11, 1011 },
			"Of 1,011 reads 0 failed and 11 were not sent (limit 1%)"},
		{"another value", func(r *rundoc.UpdateReads) { r.Batches.Wrong = 2 }, "a value other than the published one"},
	} {
		run := withReads(t, func(d *rundoc.UpdatesDetail) { c.edit(d.Reads) })
		all := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: %q, want %q", c.name, all, c.want)
		}
	}
	run := withReads(t, func(d *rundoc.UpdatesDetail) { d.Proof.Received = d.Reads.Batches.Seen - 1 })
	if all := strings.Join(rundoc.Judge(run).Reasons, "\n"); !strings.Contains(all, "and the server received") {
		t.Errorf("%q", all)
	}
}
