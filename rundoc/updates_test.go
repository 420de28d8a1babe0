package rundoc_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// updateStage is n durations around a middle: it, and as much less and more.
func updateStage(name string, n, middle int64) rundoc.NamedStage {
	h, exact := hdrhistogram.New(1, 1<<26, 3), rundoc.Exact{Min: math.MaxInt64}
	for i := range n {
		v := middle + (i-n/2)*middle/(2*n)
		_ = h.RecordValue(v)
		exact.Min, exact.Max, exact.Sum = min(exact.Min, v), max(exact.Max, v), exact.Sum+v
	}
	return rundoc.NamedStage{Name: name, UpdateStage: rundoc.UpdateStage{Summary: rundoc.Summarize(h, exact)}}
}

// soundUpdates is the detail of soundRun, whose operations are batches, and whose warm-up had 40.
func soundUpdates(t testing.TB, run *rundoc.Run) *rundoc.UpdatesDetail {
	total, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	n := total.OK
	const second = int64(1e9)
	d := &rundoc.UpdatesDetail{
		Transport: "NATS", Client: "nats.go", Server: "http://127.0.0.1:8095", Batch: 100, MessageSize: 4300,
		Listeners: 4, Receive: 10, Publishers: 2,
		Clock: rundoc.UpdateClock{Shared: true}, Receives: n, Messages: n + 3,
		Stages: []rundoc.NamedStage{
			{Name: rundoc.StagePublish, UpdateStage: rundoc.UpdateStage{Summary: total.ServiceTime}},
			updateStage(rundoc.StageTransit, n, 200_000), updateStage(rundoc.StageReceiveIdle, n, 9_000_000),
			updateStage(rundoc.StageReceiveBusy, n, 200_000),
			updateStage(rundoc.StageReading, n, 9_200_000), updateStage(rundoc.StageQueued, n, 10_000),
			updateStage(rundoc.StageApply, n, 500_000),
			updateStage(rundoc.StageAcknowledge, n, 12_000), updateStage(rundoc.StageE2ESent, n, 710_000),
			updateStage(rundoc.StageE2EScheduled, n, 715_000),
			updateStage(rundoc.StageE2EBroker, n, 600_000),
		},
		Manifest: rundoc.Manifest{
			Run: 7, Batches: n + 40, Updates: 100 * (n + 40), Live: 100 * (n + 40), Digest: 99,
			Publishers: []rundoc.Published{{Publisher: 0, Next: uint64(n)},
				{Publisher: 1, Next: 42, Unsure: []uint64{5, 9}}},
		},
	}
	seconds := run.Ledger.WindowNS / second
	left := n
	for s := range seconds {
		of := n / seconds
		if s == seconds-1 {
			of = left
		}
		left -= of
		d.Series = append(d.Series, rundoc.UpdateSecond{Second: s, Batches: of, Applied: 100 * of, E2EP50NS: 700_000})
	}
	d.AppliedPerS = float64(100*n) / float64(seconds)
	m := &d.Manifest
	state := rundoc.StateSum{Live: m.Live, Digest: m.Digest}
	d.Proof = &rundoc.Proof{
		Complete: true, Published: m.Batches, Received: m.Batches, Updates: m.Updates, Applied: m.Updates,
		StateKnown: true, Expected: state, Found: state,
	}
	return d
}

func updatesRun(t testing.TB, edit func(d *rundoc.UpdatesDetail)) *rundoc.Run {
	run := soundRun(t)
	run.Workload = rundoc.WorkloadUpdates
	d := soundUpdates(t, run)
	if edit != nil {
		edit(d)
	}
	run.Detail = d
	return run
}

// edited is a copy of an updates run, with another detail.
func edited(t testing.TB, base *rundoc.Run, edit func(d *rundoc.UpdatesDetail)) *rundoc.Run {
	raw, err := json.Marshal(base.Detail)
	if err != nil {
		t.Fatal(err)
	}
	run := *base
	run.Detail = rundoc.DecodeDetail(run.Workload, raw)
	edit(run.Updates())
	return &run
}

// stage is a stage of the detail.
func stage(d *rundoc.UpdatesDetail, name string) *rundoc.UpdateStage { return d.Stage(name) }

// apart makes the clocks those of two machines.
func apart(d *rundoc.UpdatesDetail) {
	d.Clock = rundoc.UpdateClock{OffsetNS: -5e9, BoundNS: 30_000, DriftNS: -1000}
}

// negative makes the first durations of a stage negative, down to ns.
func negative(s *rundoc.UpdateStage, n, ns int64) {
	*s = rundoc.UpdateStage{Summary: updateStage("", s.Summary.Count-n, s.Summary.MeanNS).Summary, Negative: n,
		NegativeMin: ns}
}

// miss takes the first batch out of what the server timed.
func miss(d *rundoc.UpdatesDetail) {
	for i := range d.Stages[1:] {
		s := &d.Stages[i+1]
		s.UpdateStage = updateStage("", s.Summary.Count-1, s.Summary.MeanNS).UpdateStage
	}
	d.Receives--
	d.Series[0].Batches--
	d.Series[0].Applied -= 100
	d.AppliedPerS -= 10 // 100 in a window of 10 s
}

// lose takes three batches of publisher 0 away, in two ranges.
func lose(d *rundoc.UpdatesDetail) {
	p := d.Proof
	p.Complete, p.Lost, p.Received = false, 3, p.Received-3
	p.Updates, p.Applied = p.Updates-300, p.Applied-300
	p.LostSpans = []rundoc.LostSpan{{Publisher: 0, First: 3, Last: 4}, {Publisher: 0, First: 9, Last: 9}}
	p.Problems = []string{"3 batches were not received."}
}

func TestJudgeUpdates(t *testing.T) {
	base := updatesRun(t, nil)
	for _, tt := range []struct {
		name string
		edit func(d *rundoc.UpdatesDetail)
		want rundoc.Validity
		says string
	}{
		{"sound", func(*rundoc.UpdatesDetail) {}, rundoc.Valid, ""},
		{"only published", func(d *rundoc.UpdatesDetail) {
			*d = rundoc.UpdatesDetail{Batch: 100, Stages: d.Stages[:1], Manifest: d.Manifest}
			d.Manifest.Unknown = 2
		}, rundoc.Valid, ""},
		{"no broker's clock, no acknowledgement", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageE2EBroker), *stage(d, rundoc.StageAcknowledge) = rundoc.UpdateStage{},
				rundoc.UpdateStage{}
		}, rundoc.Valid, ""},
		{"two clocks that agree well", apart, rundoc.Valid, ""},
		{"below zero within the bound", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageTransit), 20, -30_000)
		}, rundoc.Valid, ""},
		{"clocks that differ by more than the transit took", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageTransit), 20, -30_000)
			s := stage(d, rundoc.StageE2ESent)
			*s = updateStage("", s.Summary.Count, 480_000).UpdateStage // the applying alone took longer, on one clock
		}, rundoc.Valid, ""},
		{"a day, whose first hours the server dropped", func(d *rundoc.UpdatesDetail) {
			d.Series = make([]rundoc.UpdateSecond, 20*3600)
			for i := range d.Series {
				d.Series[i].Second = int64(i) + 5000
			}
		}, rundoc.Valid, ""},
		{"the broker's clock runs ahead", func(d *rundoc.UpdatesDetail) {
			negative(stage(d, rundoc.StageE2EBroker), 20,
				-1e6)
		}, rundoc.Valid, ""},
		{"a transport that redelivers", func(d *rundoc.UpdatesDetail) {
			d.Proof.Duplicates,
				d.Proof.Unreadable = 17, 3
		},
			rundoc.Valid, ""},
		{"unsure batches arrived", func(d *rundoc.UpdatesDetail) {
			d.Proof.Unsure, d.Proof.Received, d.Manifest.Publishers[1].Arrived = 2, d.Proof.Received+2, []uint64{5, 9}
		}, rundoc.Valid, ""},

		{"lost", lose, rundoc.Suspect, "did not receive 3 of "},
		{"another state", func(d *rundoc.UpdatesDetail) {
			d.Proof.Complete, d.Proof.Found.Digest, d.Proof.Problems = false, 1, []string{"The state is another."}
		}, rundoc.Suspect, "The proof is incomplete"},
		{"taken twice", func(d *rundoc.UpdatesDetail) {
			d.Proof.Complete, d.Proof.Applied, d.Proof.Problems = false, d.Proof.Applied+100,
				[]string{"Some were taken twice."}
		}, rundoc.Suspect, "The proof is incomplete"},
		{"not asked", func(d *rundoc.UpdatesDetail) {
			d.Stages, d.Series, d.AppliedPerS, d.Receives, d.Messages = d.Stages[:1], nil, 0, 0, 0
			d.Proof = &rundoc.Proof{Published: d.Proof.Published, Expected: d.Proof.Expected,
				Problems: []string{"It could not be asked."}}
		}, rundoc.Suspect, "It is unknown what the server received"},
		{"asked for too little", func(d *rundoc.UpdatesDetail) {
			d.Proof.Complete, d.Proof.Unknown, d.Proof.StateKnown, d.Proof.Problems = false, true, false,
				[]string{"It did not answer."}
		}, rundoc.Suspect, "The proof is unknown"},
		{"no times", func(d *rundoc.UpdatesDetail) {
			d.Stages, d.Series, d.AppliedPerS, d.Receives, d.Messages = d.Stages[:1], nil, 0, 0, 0
		}, rundoc.Suspect, "The server reported no times"},
		{"restarted", func(d *rundoc.UpdatesDetail) { d.Proof.Restarted = true }, rundoc.Suspect,
			"The server restarted during the run"},
		{"restarted, with the times of the rest", func(d *rundoc.UpdatesDetail) {
			miss(d)
			d.Proof.Restarted, d.AppliedPerS = true, 0
		}, rundoc.Suspect, "The server restarted during the run"},
		{"lost in more ranges than are listed", func(d *rundoc.UpdatesDetail) {
			lose(d)
			p := d.Proof
			p.Lost, p.Received, p.Updates, p.Applied = 2500, p.Published-2500, 0, 0
			p.LostSpans = nil
			for i := range uint64(1000) {
				p.LostSpans = append(p.LostSpans, rundoc.LostSpan{First: 2 * i, Last: 2 * i})
			}
		}, rundoc.Suspect, "did not receive 2,500 of "},
		{"no clock", func(d *rundoc.UpdatesDetail) {
			apart(d)
			d.NoClock = 10
			for _, name := range []string{rundoc.StageTransit, rundoc.StageE2ESent, rundoc.StageE2EScheduled} {
				s := stage(d, name)
				*s = updateStage("", s.Summary.Count-10, s.Summary.MeanNS).UpdateStage
			}
		}, rundoc.Suspect, "could not be compared for 10 batches of "},
		{"below zero beyond the bound", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageTransit), 20, -31_001)
		}, rundoc.Suspect, "20 batches have a negative time in the stage transit (lowest -31.0 µs)"},
		{"a wide bound", func(d *rundoc.UpdatesDetail) {
			apart(d)
			d.Clock.BoundNS = 72_000
		}, rundoc.Suspect, "may differ by up to 73.0 µs, 10."},
		{"a drift", func(d *rundoc.UpdatesDetail) {
			apart(d)
			d.Clock.DriftNS = 72_000
		}, rundoc.Suspect, "may differ by up to 102 µs"},

		{"negative figure", func(d *rundoc.UpdatesDetail) { d.NoClock = -1 }, rundoc.Invalid, "a value is negative"},
		{"a clock that has an offset of", func(d *rundoc.UpdatesDetail) { d.Clock.OffsetNS = 1 }, rundoc.Invalid,
			"has an offset of"},
		{"a stage twice", func(d *rundoc.UpdatesDetail) { d.Stages = append(d.Stages, d.Stages[3]) }, rundoc.Invalid,
			"two stages"},
		{"stages without end", func(d *rundoc.UpdatesDetail) {
			d.Stages = append(d.Stages,
				make([]rundoc.NamedStage, 100)...)
		}, rundoc.Invalid, "there are 111 stages"},
		{"below zero on one clock", func(d *rundoc.UpdatesDetail) { negative(stage(d, rundoc.StageTransit), 1, -1) },
			rundoc.Invalid, "on one clock"},
		{"below zero on the server's own clock", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageQueued), 1, -1)
		}, rundoc.Invalid, "on one clock"},
		{"negative without a lowest", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageTransit), 1, 0)
		}, rundoc.Invalid, "are inconsistent"},
		{"a broken histogram beside negatives", func(d *rundoc.UpdatesDetail) {
			apart(d)
			negative(stage(d, rundoc.StageTransit), 1, -1)
			stage(d, rundoc.StageTransit).Summary.HDR = "AAAA"
		}, rundoc.Invalid, "the stage transit"},
		{"percentiles of another histogram", func(d *rundoc.UpdatesDetail) {
			*stage(d,
				rundoc.StageApply).Summary.P50NS -= 5000
		}, rundoc.Invalid, "by its histogram"},
		{"publish of fewer", func(d *rundoc.UpdatesDetail) {
			d.Stages[0] = updateStage(rundoc.StagePublish, d.Stages[0].Summary.Count-1, 1000)
		}, rundoc.Invalid, "service times"},
		{"fewer waited", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageQueued) = updateStage("", stage(d, rundoc.StageQueued).Summary.Count-1,
				10_000).UpdateStage
		}, rundoc.Invalid, "waited in the server"},
		{"fewer end to end", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageE2EScheduled) = updateStage("", stage(d, rundoc.StageE2EScheduled).Summary.Count-1,
				715_000).UpdateStage
		}, rundoc.Invalid, "have a time from the schedule"},
		{"fewer in transit", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageTransit) = updateStage("", stage(d, rundoc.StageTransit).Summary.Count-1,
				200_000).UpdateStage
		}, rundoc.Invalid, "have the stage transit"},
		{"more acknowledged", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageAcknowledge) = updateStage("", stage(d, rundoc.StageAcknowledge).Summary.Count+1,
				12_000).UpdateStage
		}, rundoc.Invalid, "have the stage acknowledge"},
		{"other receive calls", func(d *rundoc.UpdatesDetail) { d.Receives-- }, rundoc.Invalid, "receive calls"},
		{"fewer messages than calls", func(d *rundoc.UpdatesDetail) { d.Messages = d.Receives - 1 }, rundoc.Invalid,
			"receive calls"},
		{"fewer applied than published", miss, rundoc.Invalid, "the server timed"},
		{"transit above end to end", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageTransit) = updateStage("", stage(d, rundoc.StageTransit).Summary.Count,
				900_000).UpdateStage
		}, rundoc.Invalid, "transit is longer than"},
		{"sent before the schedule", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageE2EScheduled) = updateStage("", stage(d, rundoc.StageE2EScheduled).Summary.Count,
				600_000).UpdateStage
		}, rundoc.Invalid, "end to end, from the send is longer than end to end, from the schedule"},
		{"parts that do not sum", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageQueued) = updateStage("", stage(d, rundoc.StageQueued).Summary.Count,
				11_000).UpdateStage
		}, rundoc.Invalid, "its parts' sum"},
		{"processing of fewer", func(d *rundoc.UpdatesDetail) {
			d.Stages = append(d.Stages, updateStage(rundoc.StageProcessing, stage(d, rundoc.StageApply).Summary.Count-1,
				510_000))
		}, rundoc.Invalid, "batches were processed"},
		{"processing that is shorter than its parts", func(d *rundoc.UpdatesDetail) {
			d.Stages = append(d.Stages,
				updateStage(rundoc.StageProcessing, stage(d, rundoc.StageApply).Summary.Count, 500_000))
		}, rundoc.Invalid, "the mean of processing"},
		{"processing", func(d *rundoc.UpdatesDetail) {
			d.Stages = append(d.Stages,
				updateStage(rundoc.StageProcessing, stage(d, rundoc.StageApply).Summary.Count, 510_000))
		}, rundoc.Valid, ""},
		{"a backlog below zero", func(d *rundoc.UpdatesDetail) { d.BacklogNS = -1 }, rundoc.Invalid,
			"a value is negative"},
		{"idle and busy that do not sum", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageReceiveBusy) = updateStage("", stage(d, rundoc.StageReceiveBusy).Summary.Count,
				201_000).UpdateStage
		}, rundoc.Invalid, "the mean of reading off the queue"},
		{"seconds that fall", func(d *rundoc.UpdatesDetail) { d.Series[2].Second = 0 }, rundoc.Invalid,
			"follows second"},
		{"seconds with more", func(d *rundoc.UpdatesDetail) { d.Series[0].Batches++ }, rundoc.Invalid,
			"the server's seconds have"},
		{"seconds with more updates than fit", func(d *rundoc.UpdatesDetail) { d.Series[0].Stale = 1 }, rundoc.Invalid,
			"batches of at most 100"},
		{"negative second", func(d *rundoc.UpdatesDetail) { d.Series[0].Stale = -1 }, rundoc.Invalid, "is negative"},
		{"a rate above what was applied", func(d *rundoc.UpdatesDetail) { d.AppliedPerS *= 1.01 }, rundoc.Invalid,
			"were applied a second"},
		{"a rate below what was applied", func(d *rundoc.UpdatesDetail) { d.AppliedPerS *= 0.99 }, rundoc.Invalid,
			"were applied a second"},
		{"a rate that leaves the backlog out", func(d *rundoc.UpdatesDetail) { d.BacklogNS = 100e6 }, rundoc.Invalid,
			"were applied a second"},
		{"manifest of other sequences", func(d *rundoc.UpdatesDetail) { d.Manifest.Publishers[0].Next++ },
			rundoc.Invalid, "the manifest has"},
		{"more unsure than used",
			func(d *rundoc.UpdatesDetail) { d.Manifest.Publishers[1].Unsure = make([]uint64, 43) },
			rundoc.Invalid, "are unsure"},
		{"unknown ones that are not the unsure ones", func(d *rundoc.UpdatesDetail) { d.Manifest.Unknown = 3 },
			rundoc.Invalid, "3 batches with an unknown outcome, but 2 were"},
		{"unknown ones among the refused", func(d *rundoc.UpdatesDetail) { d.Manifest.Unknown, d.Manifest.Refused = 1, 2 },
			rundoc.Invalid, "1 batches with an unknown outcome, but 2 were never acknowledged, and 0 of them arrived (2 were refused)"},
		{"unknown ones that arrived", func(d *rundoc.UpdatesDetail) {
			d.Manifest.Unknown, d.Manifest.Publishers[1].Arrived, d.Proof.Unsure, d.Proof.Received = 2, []uint64{5}, 1,
				d.Proof.Received+1
		}, rundoc.Invalid, "and 1 of them arrived"},
		{"proof of another manifest", func(d *rundoc.UpdatesDetail) { d.Manifest.Digest++ }, rundoc.Invalid,
			"the manifest"},
		{"complete with problems", func(d *rundoc.UpdatesDetail) { d.Proof.Problems = []string{"x"} }, rundoc.Invalid,
			"complete is true, with 1 problems"},
		{"incomplete without a problem", func(d *rundoc.UpdatesDetail) { d.Proof.Complete = false }, rundoc.Invalid,
			"complete is false, with 0 problems"},
		{"complete with a loss", func(d *rundoc.UpdatesDetail) {
			lose(d)
			d.Proof.Complete, d.Proof.Problems = true, nil
		}, rundoc.Invalid, "it is complete, with 3 batches lost"},
		{"complete and unknown", func(d *rundoc.UpdatesDetail) { d.Proof.Unknown = true }, rundoc.Invalid,
			"it is unknown, but complete is true"},
		{"unknown with what nobody published", func(d *rundoc.UpdatesDetail) {
			d.Proof.Complete, d.Proof.Unknown, d.Proof.Problems = false, true, []string{"x"}
			d.Proof.Foreign, d.Proof.Received = 1, d.Proof.Received+1
		}, rundoc.Invalid, "it is unknown, but complete is false, and 1 batches are foreign"},
		{"complete with another digest", func(d *rundoc.UpdatesDetail) { d.Proof.Found.Digest++ }, rundoc.Invalid,
			"the state equal false"},
		{"complete and not compared", func(d *rundoc.UpdatesDetail) { d.Proof.StateKnown = false }, rundoc.Invalid,
			"the state equal false"},
		{"complete with fewer applied", func(d *rundoc.UpdatesDetail) { d.Proof.Applied-- }, rundoc.Invalid,
			"it is complete"},
		{"received that do not add up", func(d *rundoc.UpdatesDetail) { d.Proof.Received++ }, rundoc.Invalid,
			"batches received, but published"},
		{"lost ranges of fewer", func(d *rundoc.UpdatesDetail) {
			lose(d)
			d.Proof.LostSpans = d.Proof.LostSpans[:1]
		}, rundoc.Invalid, "the ranges have 2"},
		{"a lost range that ends before it begins", func(d *rundoc.UpdatesDetail) {
			lose(d)
			d.Proof.LostSpans[0].Last = 0
		}, rundoc.Invalid, "ends before it begins"},
		{"more undrained than lost", func(d *rundoc.UpdatesDetail) { d.Proof.Undrained = 1 }, rundoc.Invalid,
			"had not arrived"},
		{"negative count", func(d *rundoc.UpdatesDetail) { d.Proof.Duplicates = -1 }, rundoc.Invalid,
			"a count is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := rundoc.Judge(edited(t, base, tt.edit))
			text := strings.Join(got.Reasons, "\n")
			if got.Validity != tt.want || !strings.Contains(text, tt.says) || tt.says == "" && text != "" {
				t.Errorf("%s: %s\nwant %s: %s", got.Validity, text, tt.want, tt.says)
			}
		})
	}
}

func TestUpdatesDetailIsRead(t *testing.T) {
	run := updatesRun(t, nil)
	if diff := cmp.Diff(soundUpdates(t, run), run.Updates()); diff != "" {
		t.Error(diff)
	}
	run.Detail = rundoc.RawDetail(`[1]`)
	if d := run.Updates(); d != nil {
		t.Errorf("%+v", d)
	}
	if got := rundoc.Judge(run); got.Validity != rundoc.Suspect ||
		!strings.Contains(got.Reasons[0], "has no details about the updates") {
		t.Errorf("without a detail: %+v", got)
	}
	run = reread(t, updatesRun(t, nil), rundoc.WorkloadChat)
	if d := run.Updates(); d != nil {
		t.Errorf("%+v", d)
	}
}

func TestUpdatesWarnings(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(d *rundoc.UpdatesDetail)
		want []rundoc.Warning
	}{
		{"sound", nil, nil},
		{"redelivered", func(d *rundoc.UpdatesDetail) { d.Proof.Duplicates = 17 }, []rundoc.Warning{{
			Code: rundoc.WarnRedelivered,
		}}},
		{"interrupted after the window", func(d *rundoc.UpdatesDetail) { d.Proof.Interrupted = true },
			[]rundoc.Warning{{
				Code: rundoc.WarnInterrupted,
			}}},
		{"unreadable", func(d *rundoc.UpdatesDetail) { d.Proof.Unreadable = 1 }, []rundoc.Warning{{
			Code: rundoc.WarnUnreadable,
		}}},
		{"standstill", func(d *rundoc.UpdatesDetail) { d.Series = append(d.Series[:1], d.Series[3:]...) },
			[]rundoc.Warning{{
				Code: rundoc.WarnStandstill,
			}}},
		{"too rare for a standstill", func(d *rundoc.UpdatesDetail) {
			d.Series = append(d.Series[:1], d.Series[3:]...)
			for i := range d.Series {
				d.Series[i].Batches = 9
			}
		}, nil},
		{"a server that is done in time", func(d *rundoc.UpdatesDetail) { d.BacklogNS = 249e6 }, nil},
		{"a server that falls behind", func(d *rundoc.UpdatesDetail) { d.BacklogNS = 3_480e6 }, []rundoc.Warning{{
			Code: rundoc.WarnTargetBehind,
		}}},
		{"most below zero", func(d *rundoc.UpdatesDetail) {
			apart(d)
			s := stage(d, rundoc.StageE2EScheduled)
			s.Negative, s.NegativeMin = 5000, -3
			s.Summary.P50NS, s.Summary.P90NS, s.Summary.P95NS, s.Summary.P99NS, s.Summary.P999NS = nil, nil,
				nil, nil, nil
		}, nil},
		{"not a standstill", func(d *rundoc.UpdatesDetail) {
			d.Series, d.Proof.Restarted = append(d.Series[:1], d.Series[3:]...), true
		}, nil},
		{"few", func(d *rundoc.UpdatesDetail) {
			*stage(d, rundoc.StageE2EScheduled) = updateStage("", 105, 715_000).UpdateStage
		}, []rundoc.Warning{{
			Code: rundoc.WarnSmallSample,
		}}},
		{"samples", func(d *rundoc.UpdatesDetail) { d.Samples = &rundoc.SamplesFile{Path: "s.csv", Lost: 2} },
			[]rundoc.Warning{{
				Code: rundoc.WarnSamplesLost,
			}}},
	} {
		run := updatesRun(t, tt.edit)
		// soundRun has two
		got := slices.DeleteFunc(rundoc.Warnings(run),
			func(w rundoc.Warning) bool { return w.Code == rundoc.WarnUnfinished })
		if len(got) == 0 {
			got = nil
		}
		for i := range got {
			got[i].Message = ""
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// The figures of a server that somebody else runs are no proof of a mistake here.
func TestBrokenInvariantsOfForeignServersAreAttributedToThem(t *testing.T) {
	for _, embedded := range []bool{true, false} {
		run := updatesRun(t, func(d *rundoc.UpdatesDetail) { d.Series[0].Stale = -1 })
		run.Target.Embedded = embedded
		reason := rundoc.Judge(run).Reasons[0]
		if strings.Contains(reason, " This is a bug in Plimsoll: ") != embedded ||
			strings.Contains(reason, "come from the key/value server") == embedded {
			t.Errorf("embedded %v: %s", embedded, reason)
		}
	}
}

// A queue at the end of the window accuses the server only where the publisher is not known to have made it.
func TestBacklogAccusesTheServerOnlyIfThePublisherWasOnTime(t *testing.T) {
	gap := func(at, ns int64) *rundoc.Hiccups {
		return &rundoc.Hiccups{Gaps: 1, GapsNS: ns, LongNS: ns, Longest: []rundoc.Gap{{AtNS: at, NS: ns}}}
	}
	stopped := "It is unknown whether it kept up: the publisher was paused for "
	for _, c := range []struct {
		name string
		edit func(*rundoc.Generator, int64)
		code string
		say  string
	}{
		{"nothing is known of the publisher", func(*rundoc.Generator, int64) {}, rundoc.WarnTargetBehind, ""},
		{"stopped in the last second", func(g *rundoc.Generator, w int64) { g.Hiccups = gap(w-1000*ms, 1000*ms) },
			rundoc.WarnBacklog, stopped + "1.00 s shortly before the end"},
		{"stopped at the very end, and for how long is not known", func(g *rundoc.Generator, w int64) {
			g.Hiccups = gap(w-4*ms, 4*ms)
		}, rundoc.WarnBacklog, stopped + "4.00 ms"},
		{"stopped until the queue could hardly be worked off", func(g *rundoc.Generator, w int64) {
			g.Hiccups = gap(w-400*ms, 160*ms)
		}, rundoc.WarnBacklog, stopped + "160 ms"},
		{"stopped for a moment", func(g *rundoc.Generator, w int64) { g.Hiccups = gap(w-100*ms, 49*ms) },
			rundoc.WarnTargetBehind, ""},
		{"stopped long before", func(g *rundoc.Generator, w int64) { g.Hiccups = gap(0, w-250*ms) },
			rundoc.WarnTargetBehind, ""},
		{"late all the while", func(g *rundoc.Generator, _ int64) { g.OwnLate, g.OwnDelayP99NS = new(int64(900)), 700*ms },
			rundoc.WarnBacklog, "It is unknown whether it kept up: the publisher started 900 batches late, with a p99 start delay of 700 ms"},
	} {
		run := updatesRun(t, func(d *rundoc.UpdatesDetail) { d.BacklogNS = 1000e6 })
		c.edit(&run.Generator, run.Ledger.WindowNS)
		var codes []string
		for _, w := range rundoc.Warnings(run) {
			if w.Code == rundoc.WarnBacklog || w.Code == rundoc.WarnTargetBehind {
				if codes = append(codes, w.Code); !strings.Contains(w.Message, c.say) {
					t.Errorf("%s: %s", c.name, w.Message)
				}
			}
		}
		if diff := cmp.Diff([]string{c.code}, codes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
