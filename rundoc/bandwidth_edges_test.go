package rundoc

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// These words stand in documents that others read, and in those of before, and the bounds in docs/bandwidth.md: they stay.
func TestEdgesOfTheWordsOfBandwidth(t *testing.T) {
	for is, want := range map[string]string{
		WorkloadBandwidth: "bandwidth", ChecksumOK: "ok", ChecksumMismatch: "mismatch", ChecksumNone: "not checked",
		OperationCreate: "create-file", OperationUploadBlock: "upload-block", OperationFlush: "flush",
		OperationCloseUpload: "close-upload", OperationUpload: "upload", OperationRename: "rename",
		OperationOpen: "open-for-download", OperationDownloadBlock: "download-block", OperationCloseDownload: "close-download",
		OperationDownload: "download", OperationDelete: "delete-file", CountedKernel: "kernel", CountedQueue: "queue",
		CountedHandedOver: "handed_over", CountedCalls: "calls",
	} {
		if is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
	if MaxBlocks != 50_000 || SlowTimes != 5 || SlowNS != 5e8 || SlowLeast != 5 {
		t.Errorf("%d blocks; slow is %d times the median of %d and %d ns", MaxBlocks, SlowTimes, SlowLeast, SlowNS)
	}
	d := new(BandwidthDetail)
	if (&Run{Detail: d}).Bandwidth() != d || d.alike() {
		t.Error("a bandwidth run is one, and its operations are not alike")
	}
}

func TestEdgesOfPartsInFlight(t *testing.T) {
	for _, tt := range []struct {
		active, atOnce, streams int
		each                    float64
		bounded                 bool
	}{
		{4, 0, 2, 4, false}, {4, 8, 2, 4, false}, {4, 7, 2, 3.5, true}, {4, 1, 2, 0.5, true}, {4, 1, 0, 1, true}, {4, 1, 1, 1, true},
		{0, 1, 1, 0, false},
	} {
		s := StoreUsed{ActiveParts: tt.active, AtOnce: tt.atOnce}
		if each, bounded := s.PartsInFlight(tt.streams); each != tt.each || bounded != tt.bounded {
			t.Errorf("%+v: %v, %t", tt, each, bounded)
		}
	}
}

func TestEdgesOfBandwidth(t *testing.T) {
	// up is an upload of a file of 1,000 bytes in a second.
	up := func(edits ...func(*Transfer)) Run {
		u := &Transfer{Files: 1, Bytes: 1000, DurationNS: second, BytesPerS: 1000}
		for _, edit := range edits {
			edit(u)
		}
		return Run{Detail: &BandwidthDetail{Upload: u}}
	}
	down := up()
	d := down.Bandwidth()
	d.Download, d.Upload = d.Upload, nil
	d.Download.Failed = -1
	// steady is a part of the upload, and the rate that it has.
	steady := func(rate float64, from, lasts, bytes int64) Run {
		return up(func(t *Transfer) { t.Steady, t.BytesPerS = &SteadyPart{from, lasts, bytes}, rate })
	}
	wrong := func(c Checksum) Run { return Run{Detail: &BandwidthDetail{Checksum: c}} }
	listed := func(n int, bytes, ns int64) Run {
		return up(func(t *Transfer) { t.Iterations = slices.Repeat([]IterationFigure{{Bytes: bytes, DurationNS: ns}}, n) })
	}
	type T = *Transfer
	const negative, rate, part = "the upload has a negative figure", "the upload has", "the steady part of the upload has"
	const closing, iterations, bad = "of the streams' time in the upload", "the iterations of the upload have", "bytes were wrong in"
	hold(t, func(j *judgement) { j.run.Bandwidth().laws(j) }, []edge{
		{"nothing", Run{}, ""},
		{"no transfer", Run{Detail: new(BandwidthDetail)}, ""},
		{"sound", up(), ""},
		{"failed below zero", down, "the download has a negative figure"},
		{"data below zero", up(func(t T) { t.DataNS = -1 }), negative},
		{"taken out below zero", up(func(t T) { t.TakenNS = -1 }), negative},
		{"opened again", up(func(t T) { t.Reopened, t.ReopenCauses = 1, []Cause{{Count: 1}} }), ""},
		{"opened again without a cause", up(func(t T) { t.Reopened = 1 }), "opened again 1 times, and their causes count 0"},
		{"a cause of nothing", up(func(t T) { t.ReopenCauses = []Cause{{Count: 1}} }), "opened again 0 times, and their causes count 1"},

		{"a rate that is rounded", up(func(t T) { t.BytesPerS = 1000.0009 }), ""},
		{"another rate", up(func(t T) { t.BytesPerS = 1000.002 }), rate},
		{"a rate of no file", up(func(t T) { t.Files = 0 }), rate},
		{"no rate of no file", up(func(t T) { t.Files, t.BytesPerS = 0, 0 }), ""},
		{"no rate of no time", up(func(t T) { t.DurationNS, t.BytesPerS = 0, 0 }), ""},
		{"no rate of nothing in no time", up(func(t T) { t.Bytes, t.DurationNS, t.BytesPerS = 0, 0, 0 }), ""},
		{"a rate of hardly any time", up(func(t T) { t.DurationNS, t.BytesPerS = 1, 1e12 }), ""},
		{"a steady part", steady(1000, 0, second/2, 500), ""},
		{"the last of it steady", steady(2000, second/2, second/2, 1000), ""},
		{"steady beyond the end", steady(2000, second/2+1, second/2, 1000), part},
		{"steady with more bytes", steady(2002, 0, second/2, 1001), part},
		{"steady before the start", steady(1000, -1, second/2, 500), part},
		{"steady for less than nothing", steady(0, 0, -1, 500), part},

		{"no close", up(func(t T) { t.CloseShare = 0 }), ""},
		{"all close", up(func(t T) { t.CloseShare = 1.001 }), ""},
		{"more than all close", up(func(t T) { t.CloseShare = 1.0011 }), "close has 1.001 " + closing},
		{"less than no close", up(func(t T) { t.CloseShare = -0.1 }), "close has -0.1 " + closing},
		{"close is no number", up(func(t T) { t.CloseShare = math.NaN() }), closing},

		{"one iteration", listed(1, 1000, second), ""},
		{"one iteration of fewer bytes", listed(1, 999, second), iterations},
		{"one iteration of less time", listed(1, 1000, second-1), iterations},
		{"as many iterations as are listed", listed(1000, 1, 1), ""},
		{"one less", listed(999, 1, 1), iterations + " 999 bytes in 999 ns, and all of it 1000 in 1.00 s"},

		{"all wrong", wrong(Checksum{Bytes: 1, WrongBytes: 1, WrongBlocks: 1, WrongFiles: 1}), ""},
		{"more wrong than read", wrong(Checksum{Bytes: 1, WrongBytes: 2, WrongBlocks: 1, WrongFiles: 1}), bad},
		{"more wrong blocks than bytes", wrong(Checksum{Bytes: 9, WrongBytes: 1, WrongBlocks: 2, WrongFiles: 1}), bad},
		{"more wrong files than blocks", wrong(Checksum{Bytes: 9, WrongBytes: 3, WrongBlocks: 1, WrongFiles: 2}), bad},
		{"fewer than no wrong file", wrong(Checksum{Bytes: 9, WrongFiles: -1}), bad},
	})
}

func TestEdgesOfTransfersAndOperations(t *testing.T) {
	one, other := same(10, 1), same(20, 1)
	up := &Transfer{Open: one, Block: one, Close: one}
	both := func(operation string, s Summary) Run {
		return Run{Detail: &BandwidthDetail{Upload: up, Download: up}, Operations: []Operation{{Name: operation, ServiceTime: s}}}
	}
	edges := []edge{
		{"another operation", both(OperationRename, other), ""},
		{"no upload", Run{Detail: &BandwidthDetail{Download: up}, Operations: []Operation{{Name: OperationCreate, ServiceTime: other}}}, ""},
		{"no download", Run{Detail: &BandwidthDetail{Upload: up}, Operations: []Operation{{Name: OperationOpen, ServiceTime: other}}}, ""},
	}
	for _, name := range []string{OperationCreate, OperationUploadBlock, OperationCloseUpload, OperationOpen, OperationDownloadBlock,
		OperationCloseDownload} {
		edges = append(edges, edge{"the times of " + name, both(name, one), ""},
			edge{"other times of " + name, both(name, other), "the time of " + name + " is not the one of the operation"})
	}
	hold(t, func(j *judgement) { j.run.Bandwidth().timesTwice(j) }, edges)

	blocks := func(n int64, operations ...Operation) Run {
		return Run{Detail: &BandwidthDetail{Upload: &Transfer{Block: Summary{Count: n}}}, Operations: operations}
	}
	block := func(n int64) Operation {
		return Operation{Name: OperationUploadBlock, ServiceTime: Summary{Count: n}}
	}
	hold(t, func(j *judgement) {
		d := j.run.Bandwidth()
		d.blockCount(j, d.Transfers()[0])
	}, []edge{
		{"not recorded", blocks(3), ""},
		{"not recorded, but others", blocks(3, Operation{Name: OperationCreate}), ""},
		{"as many", blocks(3, block(1), Operation{Name: OperationCreate, ServiceTime: Summary{Count: 5}}, block(2)), ""},
		{"one more", blocks(3, block(2)), "the upload's block time counts 3 blocks, but the operation upload-block has 2"},
		{"none", blocks(3, block(0)), "upload-block has 0"},
	})

	request := func(attempts int64, edits ...func(*RequestStages)) Run {
		s := Summary{Count: 2, MaxNS: 10}
		stages := &RequestStages{s, s, s, s, s}
		for _, edit := range edits {
			edit(stages)
		}
		return Run{Detail: &BandwidthDetail{Requests: []RequestFigures{{Name: "PUT", Attempts: attempts, Stages: stages}}}}
	}
	hold(t, func(j *judgement) { j.run.Bandwidth().stageLaws(j) }, []edge{
		{"sound", request(2), ""},
		{"of before", Run{Detail: &BandwidthDetail{Requests: make([]RequestFigures, 1)}}, ""},
		{"more times than attempts", request(1), "2 attempts of PUT have times, and there were 1"},
		{"fewer waits", request(2, func(s *RequestStages) { s.Wait.Count = 1 }), "the wait of PUT is not of the same attempts"},
		{"a longer setup", request(2, func(s *RequestStages) { s.Setup.MaxNS = 11 }), "the setup of PUT is not of the same attempts"},
		{"a shorter setup", request(2, func(s *RequestStages) { s.Setup.MaxNS = 9 }), ""},
	})
}

func TestEdgesOfFlow(t *testing.T) {
	of := func(f *Flow, s *Standstill) Run {
		return Run{Detail: &BandwidthDetail{Upload: &Transfer{Bytes: 10, DurationNS: 9, Standstill: s}, Flow: f}}
	}
	flow := func(bin, look int64, sent ...int64) Run {
		return of(&Flow{BinNS: bin, LongestLookNS: look, Sent: sent}, nil)
	}
	down := of(&Flow{BinNS: 1, Received: []int64{9}, Sent: []int64{10}}, nil)
	d := down.Bandwidth()
	d.Download, d.Upload = d.Upload, nil
	still := func(lasts, all int64) Run { return of(nil, &Standstill{DurationNS: lasts, AllNS: all}) }
	const stood = "the upload stood still for"
	hold(t, func(j *judgement) { j.run.Bandwidth().flowLaws(j) }, []edge{
		{"not counted", of(nil, nil), ""},
		{"sound", flow(1, 0, 4, 0, 6), ""},
		{"bins of nothing", flow(0, 1, 10), "bins of 0 ns"},
		{"looks back", flow(1, -1, 10), "looked at every -1 ns"},
		{"a bin below zero", flow(1, 1, 12, -1, -1), "bin 1 of the course has -1 bytes"},
		{"less than the files", flow(1, 1, 9), "the course of the upload has 9 bytes, and its files have 10"},
		{"less than the files came", down, "the course of the download has 9 bytes"},
		{"more than the files", flow(1, 1, 11), ""},

		{"a standstill", still(1, 1), ""},
		{"all stood still", still(1, 9), ""},
		{"no standstill", still(0, 1), stood},
		{"less in all", still(2, 1), stood},
		{"longer than the transfer", still(1, 10), stood},
	})
}

func TestEdgesOfBandwidthDoubts(t *testing.T) {
	of := func(ok int64, d BandwidthDetail) Run { return Run{Detail: &d, Operations: []Operation{{OK: ok}}} }
	up := func(t Transfer) Run { return of(1, BandwidthDetail{Upload: &t}) }
	both := of(1, BandwidthDetail{Upload: &Transfer{Files: 1, Bytes: 1, DurationNS: second / 2},
		Download: &Transfer{Files: 1, Bytes: 1, DurationNS: second - 1}})
	waited := func(files, ns int64) Run {
		return up(Transfer{Files: files, Bytes: 1, DurationNS: 2 * second, DataNS: ns})
	}
	interrupted, aborted := of(1, BandwidthDetail{}), of(1, BandwidthDetail{})
	interrupted.Interrupted, aborted.Aborted = true, "p99<1ms"
	const none = "No file was transferred in full: there is no bandwidth to believe. Look at"
	hold(t, func(j *judgement) { j.run.Bandwidth().unbelievable(j) }, []edge{
		{"no detail", Run{}, "does not say what was transferred"},
		{"nothing", of(0, BandwidthDetail{}), ""},
		{"waited for a fifth of the time", waited(1, 4e8), ""},
		{"waited for longer", waited(1, 4e8+1), "in 20 % of their time in the upload (more than 20 %): the bandwidth is the instrument's"},
		{"short", up(Transfer{Files: 1, Bytes: 1, DurationNS: 1}), "The upload lasted only 1.00 ns: start"},
		{"both short", both, "The upload lasted only 500 ms and the download lasted only 1.00 s: start"},
		{"long enough", up(Transfer{Files: 1, Bytes: 1, DurationNS: MinWindowNS}), ""},
		{"empty files", up(Transfer{Files: 1, DurationNS: 1}), ""},
		{"no time", up(Transfer{Files: 1, Bytes: 1}), ""},
		{"no file", of(1, BandwidthDetail{}), none},
		{"no file, and much waiting", waited(0, 2*second), none},
		{"interrupted", interrupted, "The run was interrupted before a file"},
		{"aborted", aborted, "A threshold ended the run before a file"},
		{"other data", of(0, BandwidthDetail{Checksum: Checksum{Verdict: ChecksumMismatch}}), "What was read is not what was written"},
		{"the same data", of(0, BandwidthDetail{Checksum: Checksum{Verdict: ChecksumOK}}), ""},
	})
	for url, want := range map[string]string{
		"file:///data": "Writing and reading takes this machine's processors too", "mem:": "Writing and reading takes",
		"s3://bucket": "The target has an address of this machine",
	} {
		run := Run{Detail: &BandwidthDetail{Upload: &Transfer{Files: 1, Bytes: 1, DurationNS: second}}, Ledger: lasts(second),
			Generator: Generator{MachineShare: 0.95}, Target: Target{SameHost: true, URL: url}, Host: Host{CPUs: 2}}
		if got := says(&run, run.Bandwidth().doubts); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: %q", url, got)
		}
	}

	for _, tt := range []struct {
		streams    int
		lasts, own int64
		want       float64
	}{{0, 10, 5, 0.5}, {1, 10, 5, 0.5}, {2, 10, 5, 0.25}, {1, 0, 5, 0}, {1, -1, 5, 0}} {
		d := BandwidthDetail{Streams: tt.streams}
		if got := d.OwnShare(&Transfer{DurationNS: tt.lasts, DataNS: tt.own}); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if up, down := ownAdvice(OperationUpload), ownAdvice(OperationDownload); up != "Use fewer streams, or more CPUs." ||
		!strings.Contains(down, "(--checksum none)") {
		t.Errorf("%q, %q", up, down)
	}
}

func TestEdgesOfBandwidthWarnings(t *testing.T) {
	up := func(t Transfer) BandwidthDetail { return BandwidthDetail{Upload: &t} }
	own := func(ns int64) BandwidthDetail { return up(Transfer{Files: 1, DurationNS: 1000, DataNS: ns}) }
	flow := func(s *Standstill, slow ...SlowRequest) BandwidthDetail {
		return BandwidthDetail{Upload: &Transfer{DurationNS: 8 * second, Standstill: s}, Flow: new(Flow), Slow: slow}
	}
	// course is of a store with so many requests.
	course := func(requests int64, points ...CoursePoint) BandwidthDetail {
		return BandwidthDetail{Download: &Transfer{Course: points}, Requests: []RequestFigures{{Attempts: 1}, {Attempts: requests - 1}}}
	}
	moved := func(s int64) CoursePoint { return CoursePoint{Second: s, Client: 1} }
	sent := func(s int64) CoursePoint { return CoursePoint{Second: s, Network: 1} }
	left := BandwidthDetail{Left: []string{"a", "b"}}
	slow := SlowRequest{Name: "UploadPart", FromNS: 1, DurationNS: 3 * second, MedianNS: second / 2}
	part := slow
	part.Of = "part 7"
	const kept, still, seconds = `{"keep":true}`, WarnStandstill + " The upload stood still: not one byte moved for 1.00 s, from 1.00 ns " +
		"after the start on", WarnStandstill + " Not one byte moved in"
	for _, tt := range []struct {
		name       string
		d          BandwidthDetail
		plan       string
		unfinished int64
		want       string // how the only warning begins, with its code; "" for none
	}{
		{"nothing", BandwidthDetail{}, "", 0, ""},
		{"other data", BandwidthDetail{Checksum: Checksum{Verdict: ChecksumMismatch}}, "", 0,
			WarnChecksum + " What was read is not what was written: look"},
		{"other data, somewhere", BandwidthDetail{Checksum: Checksum{Verdict: ChecksumMismatch, Mismatch: "byte 5"}}, "", 0,
			WarnChecksum + " What was read is not what was written (byte 5): look"},
		{"one unfinished", BandwidthDetail{}, "", 1, WarnUnfinished + " 1 operation had not ended"},
		{"files left", left, "{}", 0, WarnFilesLeft + " The run left files in the store that it could not delete: 2, the first is a."},
		{"one file left", BandwidthDetail{Left: []string{"a"}}, "", 0, WarnFilesLeft},
		{"files kept", left, kept, 0, ""},
		{"files kept by a plan that cannot be read", left, `{"keep":true,"keep":1}`, 0, WarnFilesLeft},
		{"rows lost", BandwidthDetail{CSV: &SamplesFile{Lost: 1}}, "", 0, WarnSamplesLost},

		{"one failed", up(Transfer{Failed: 1}), "", 0, WarnFilesFailed + " Not one upload was completed, of 1."},
		{"one of two failed", up(Transfer{Failed: 1, Files: 1}), "", 0, WarnFilesFailed + " 1 of 2 uploads were not completed."},
		{"a slow close", up(Transfer{Close: Summary{MaxNS: 60e9 + 1}}), "", 0, WarnCloseSlow},
		{"a close that is not", up(Transfer{Close: Summary{MaxNS: 60e9}}), "", 0, ""},
		{"a slow close of a download", BandwidthDetail{Download: &Transfer{Close: Summary{MaxNS: 60e9 + 1}}}, "", 0, ""},
		{"opened again", up(Transfer{Reopened: 1}), "", 0, WarnReopened + " Connections were lost under the upload: its files were " +
			"opened again 1 time at"},
		{"waited for a twentieth of the time", own(50), "", 0, ""},
		{"waited for longer", own(51), "", 0, WarnOwnTime + " The streams waited for the instrument in 5.1 % of their time"},
		{"waited for a fifth", own(200), "", 0, WarnOwnTime},
		{"waited for longer than is believed", own(201), "", 0, ""},

		{"no standstill", flow(nil), "", 0, ""},
		{"a standstill", flow(&Standstill{1, second, second}), "", 0, still + "."},
		{"a short standstill", flow(&Standstill{1, second - 1, second}), "", 0, ""},
		{"standstills", flow(&Standstill{1, second, second + 1}), "", 0, still + "; all such times together are 1.00 s, of 8.00 s."},
		{"a standstill with a slow request", flow(&Standstill{1, second, second}, slow), "", 0,
			still + ". On its way then: UploadPart, which took 3.00 s, 6 times the median."},
		{"a standstill with a slow part", flow(&Standstill{1, second, second}, part), "", 0,
			still + ". On its way then: UploadPart (part 7), which took"},

		{"nothing moved", course(10), "", 0, ""},
		{"a still second", course(30, moved(0), CoursePoint{Second: 1}, sent(2)), "", 0, seconds + " 1 s of 3, the first of them 1 s after"},
		{"a still second of few requests", course(29, moved(0), sent(2)), "", 0, ""},
		{"only one second", course(30, moved(0)), "", 0, ""},
		{"no still second", course(30, moved(0), sent(1), moved(1), moved(2)), "", 0, ""},
		{"still seconds later", course(90, moved(4), moved(5), moved(8), moved(10)), "", 0, seconds + " 3 s of 7, the first of them 6 s after"},
		{"seconds before the start", course(30, moved(-1), moved(1)), "", 0, ""},
		{"late seconds", course(30, moved(999_997), moved(999_999)), "", 0, seconds + " 1 s of 3"},
		{"seconds that are too late", course(30, moved(999_998), moved(1_000_000)), "", 0, ""},
	} {
		w := warnings{run: &Run{Detail: &tt.d, Plan: []byte(tt.plan)}, total: &Operation{Unfinished: tt.unfinished}}
		tt.d.warn(&w)
		var got []string
		for _, warning := range w.list {
			got = append(got, warning.Code+" "+warning.Message)
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	var none *BandwidthDetail
	none.warn(&warnings{run: new(Run), total: new(Operation)})
}

func TestEdgesOfSlowRequests(t *testing.T) {
	for median, want := range map[int64]float64{0: 6, 1: 6, 2: 3} {
		if got := (&SlowRequest{DurationNS: 6, MedianNS: median}).Times(); got != want {
			t.Errorf("6 ns are %v times %d ns", got, median)
		}
	}
	for _, tt := range []struct {
		from, lasts int64
		want        bool
	}{{100, 10, true}, {100, 5, true}, {100, 4, false}, {95, 10, true}, {94, 10, false}, {105, 9, true}, {106, 9, false}, {0, 1000, true}} {
		d := BandwidthDetail{Slow: []SlowRequest{{}, {FromNS: tt.from, DurationNS: tt.lasts}}}
		if got := d.SlowIn(&Standstill{FromNS: 100, DurationNS: 10}); got != nil != tt.want || got != nil && got != &d.Slow[1] {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
