package rundoc_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// soundBandwidth is a document of a bandwidth run that keeps every law: one upload of 6 s and
// one download of 4 s.
func soundBandwidth(t testing.TB) (*rundoc.Run, *rundoc.BandwidthDetail) {
	run := soundRun(t)
	run.Workload = rundoc.WorkloadBandwidth
	run.Plan = json.RawMessage(`{"keep":false}`)
	for i, name := range []string{rundoc.OperationUploadBlock, rundoc.OperationDownloadBlock} {
		o := &run.Operations[i]
		o.Name, o.Labels, o.Unfinished = name, nil, 0
		o.OK++
		o.Attempts = o.OK + o.Failed + o.Retries
		o.ResponseTime = summaryOf(t, count(int(o.OK+2))...)
		o.ServiceTime, o.FirstAttempt = o.ResponseTime, o.ResponseTime
		o.RatePerS = float64(o.OK-1) / 10
	}
	run.Phases[0].OK = 2994
	run.Series[0].OK += 2
	transfer := func(i int, ns int64) *rundoc.Transfer {
		blocks := run.Operations[i].ServiceTime
		blocks.HDR = ""
		return &rundoc.Transfer{
			Files: 2, Bytes: 2000, DurationNS: ns, BytesPerS: 2000 / (float64(ns) / 1e9), Block: blocks,
			Open:  rundoc.Summary{Count: 2, MinNS: 1, MeanNS: 2, MaxNS: 3},
			Close: rundoc.Summary{Count: 2, MinNS: 5, MeanNS: 6, MaxNS: 7}, CloseShare: 0.2,
		}
	}
	d := &rundoc.BandwidthDetail{
		SizeBytes: 1000, BlockBytes: 10, Streams: 2, Iterations: 1, Upload: transfer(0, 6e9),
		Download: transfer(1, 4e9),
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumOK, Bytes: 2000},
	}
	for s := range int64(10) {
		p := rundoc.CoursePoint{Second: s, Client: 333, Network: 333}
		if s < 6 {
			d.Upload.Course = append(d.Upload.Course, p)
		} else {
			d.Download.Course = append(d.Download.Course, p)
		}
	}
	d.Requests = []rundoc.RequestFigures{{Name: "PUT", Attempts: 60}, {Name: "GET", Attempts: 40}}
	return run, d
}

func TestJudgeBandwidth(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(run *rundoc.Run, d *rundoc.BandwidthDetail)
		validity rundoc.Validity
		want     string // in the first reason
	}{
		{"sound", func(*rundoc.Run, *rundoc.BandwidthDetail) {}, rundoc.Valid, ""},
		{"the rate is not bytes by time",
			func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.BytesPerS *= 1.001 },
			rundoc.Invalid, "the upload has 333.6667 B/s, but 2000 bytes ÷ 6.00 s are 333.3333"},
		{"a rate of no file", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.Files = 0 }, rundoc.Invalid,
			"the upload has 333"},
		{"the rate is that of the steady part", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Steady = &rundoc.SteadyPart{FromNS: 1e9, DurationNS: 5e9, Bytes: 1500}
			d.Upload.BytesPerS = 300
		}, rundoc.Valid, ""},
		{"and not of all", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Steady = &rundoc.SteadyPart{FromNS: 1e9, DurationNS: 5e9, Bytes: 1500}
		}, rundoc.Invalid, "the upload has 333.3333 B/s, but 1500 bytes ÷ 5.00 s are 300"},
		{"a steady part that is longer than all", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Steady = &rundoc.SteadyPart{FromNS: 1e9 + 1, DurationNS: 5e9, Bytes: 1500}
			d.Upload.BytesPerS = 300
		}, rundoc.Invalid, "the steady part of the upload has 1500 bytes in 5.00 s, 1.00 s after its start"},
		{"or has more bytes", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Steady = &rundoc.SteadyPart{FromNS: 0, DurationNS: 5e9, Bytes: 2001}
			d.Upload.BytesPerS = 400.2
		}, rundoc.Invalid, "the steady part of the upload has 2001 bytes"},
		{"a short steady part", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Steady = &rundoc.SteadyPart{DurationNS: 5e8, Bytes: 1500}
			d.Upload.BytesPerS = 3000
		}, rundoc.Suspect, "The upload lasted only 500 ms"},
		{"no file", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Files, d.Upload.BytesPerS, d.Download = 0, 0, nil
		}, rundoc.Suspect, "No file was complete"},
		{"interrupted before there was one", func(run *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Files, d.Upload.BytesPerS, d.Download, run.Interrupted = 0, 0, nil, true
		}, rundoc.Suspect, "The run was interrupted before a file was complete"},
		{"aborted before there was one", func(run *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Files, d.Upload.BytesPerS, d.Download, run.Aborted = 0, 0, nil, "failed<1%"
		}, rundoc.Suspect, "A threshold ended the run before a file was complete"},
		{"negative", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.DataNS = -1 }, rundoc.Invalid,
			"the download has a negative value"},
		{"more close than time", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.CloseShare = 1.1 },
			rundoc.Invalid, "close has 1.1 of the streams' time in the upload"},
		{"opened again without a cause", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.Reopened = 2 },
			rundoc.Invalid, "files of the download were reopened 2 times, but their causes count 0"},
		{"opened again", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Download.Reopened, d.Download.ReopenCauses = 2, []rundoc.Cause{{Cause: "reset", Count: 2}}
		}, rundoc.Valid, ""},
		{"more that is wrong than was read", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Checksum.WrongFiles, d.Checksum.WrongBlocks, d.Checksum.WrongBytes = 1, 1, 2001
		}, rundoc.Invalid, "2001 bytes were wrong in 1 blocks of 1 files, of 2000 bytes that were compared"},
		{"times out of order", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.Close.MaxNS = 1 },
			rundoc.Invalid, "the close's time of the upload"},
		{"blocks that the engine has not", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.Block.Count++ },
			rundoc.Invalid, "the operation upload-block has"},
		{"other data", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Checksum.Verdict = rundoc.ChecksumMismatch },
			rundoc.Suspect, "The data that was read differs from the data that was written"},
		{"waiting for data a fifth of the time", func(_ *rundoc.Run,
			d *rundoc.BandwidthDetail) {
			d.Upload.DataNS = 24e8
		}, rundoc.Valid, ""},
		{"and longer", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.DataNS = 24e8 + 1 }, rundoc.Suspect,
			"the bandwidth is the generator's limit"},
		{"short", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.DurationNS, d.Upload.BytesPerS = 5e8, 4000
			d.Download.DurationNS, d.Download.BytesPerS = 25e7, 8000
		}, rundoc.Suspect, "The upload lasted only 500 ms and the download lasted only 250 ms"},
		{"empty files are never short", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.DurationNS, d.Upload.Bytes, d.Upload.BytesPerS = 5e8, 0, 0
		}, rundoc.Valid, ""},
		{"streams that were away", func(run *rundoc.Run, _ *rundoc.BandwidthDetail) {
			run.Ledger.States[rundoc.StateBackingOff], run.Ledger.States[rundoc.StateAwaiting] = 100_000*ms, 200_000*ms
		}, rundoc.Suspect, "The streams spent 31.2%"},
	} {
		run, d := soundBandwidth(t)
		tt.change(run, d)
		run.Detail = d
		v := rundoc.Judge(run)
		if v.Validity != tt.validity || tt.want != "" && !strings.Contains(strings.Join(v.Reasons[:1], ""), tt.want) {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, v.Validity, v.Reasons, tt.validity, tt.want)
		}
	}
	run, _ := soundBandwidth(t)
	if v := rundoc.Judge(run); v.Validity != rundoc.Suspect ||
		!strings.Contains(v.Reasons[0], "has no transfers") {
		t.Errorf("without a detail: %+v", v)
	}
}

// TestFailedTransferHasNoLimit: what was not transferred was not held up by the instrument.
func TestFailedTransferHasNoLimit(t *testing.T) {
	run, d := soundBandwidth(t)
	d.Upload.DataNS = d.Upload.DurationNS
	d.Upload.Failed, d.Upload.Files, d.Upload.Bytes, d.Upload.BytesPerS = d.Upload.Files, 0, 0, 0
	run.Detail = d
	if reasons := strings.Join(rundoc.Judge(run).Reasons, " "); strings.Contains(reasons, "the instrument's") {
		t.Error(reasons)
	}
}

func TestWarningsOfBandwidth(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(run *rundoc.Run, d *rundoc.BandwidthDetail)
		want   []string // "code: part of the message"
	}{
		{"sound", func(*rundoc.Run, *rundoc.BandwidthDetail) {}, nil},
		{"a close of a minute", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.Close.MaxNS = 60e9 }, nil},
		{"and more", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Upload.Close.MaxNS = 61e9 },
			[]string{"close-slow: A close took 61.0 s"}},
		{"other data", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Checksum.Verdict, d.Checksum.Mismatch = rundoc.ChecksumMismatch, "byte 7"
		}, []string{"checksum-mismatch: The data that was read differs from the data that was written (byte 7)"}},
		{"opened again", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Download.Reopened, d.Download.ReopenCauses = 2, []rundoc.Cause{{Cause: "reset", Count: 2}}
		}, []string{"reopened: Connections were lost during the download: files were reopened 2 times"}},
		{"waiting for data", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.DataNS = 41e7 },
			[]string{"instrument-slow: 5.12% of their time in the download"}},
		{"waiting a little", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.DataNS = 4e8 }, nil},
		{"so much that it is in the verdict",
			func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.DataNS = 4e9 },
			nil},
		{"files that failed", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Download.Failed = 1 },
			[]string{"files-failed: 1 of 3 downloads were not completed"}},
		{"none that did not fail", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Download.Files,
				d.Download.Failed = 0, 2
		}, []string{"files-failed: No download was completed; 2 failed."}},
		{"files that were left", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) { d.Left = []string{"a", "b"} },
			[]string{"files-left: 2 files could not be deleted"}},
		{"files that were kept", func(run *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Left, run.Plan = []string{"a", "b"}, json.RawMessage(`{"keep":true}`)
		}, nil},
		{"a standstill", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Course = append(d.Upload.Course[:3], d.Upload.Course[5:]...)
		}, []string{"standstill: No byte moved in 2 s of 10, first 3 s after the start"}},
		{"a standstill that may be chance", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Course, d.Requests = d.Upload.Course[:3], d.Requests[:1]
		}, nil},
		{"seconds of ages", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.Upload.Course[0].Second, d.Upload.Course[1].Second = math.MaxInt64, math.MinInt64
			d.Requests[0].Attempts = math.MaxInt64 / 2
		}, []string{}},
		{"rows that were lost", func(_ *rundoc.Run, d *rundoc.BandwidthDetail) {
			d.CSV = &rundoc.SamplesFile{Path: "x.csv", Written: 5, Lost: 2, Error: "full"}
		}, []string{"samples-lost: 2 rows were not written to x.csv (full); it has 5."}},
		{"what was cut off", func(run *rundoc.Run, _ *rundoc.BandwidthDetail) { run.Operations[0].Unfinished = 1 },
			[]string{"unfinished: 1 operation did not finish"}},
	} {
		run, d := soundBandwidth(t)
		tt.change(run, d)
		run.Detail = d
		got := rundoc.Warnings(run)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		for i, want := range tt.want {
			code, part, _ := strings.Cut(want, ": ")
			if got[i].Code != code || !strings.Contains(got[i].Message, part) {
				t.Errorf("%s: %+v, want %q", tt.name, got[i], want)
			}
		}
	}
	run, _ := soundBandwidth(t)
	if diff := cmp.Diff([]rundoc.Warning(nil), rundoc.Warnings(run)); diff != "" {
		t.Errorf("without a detail: %s", diff)
	}
}

// TestJudgeChecksStagesOfRequests: the stages of a request are of the same attempts, and no longer than the whole of it.
func TestJudgeChecksStagesOfRequests(t *testing.T) {
	of := func(n int64, most int64) rundoc.Summary {
		return rundoc.Summary{Count: n, MinNS: 1, MeanNS: 2, MaxNS: most}
	}
	for want, change := range map[string]func(*rundoc.RequestStages){
		"":                          func(*rundoc.RequestStages) {},
		"61 attempts of PUT have":   func(s *rundoc.RequestStages) { s.Whole.Count = 61 },
		"the wait of PUT is not of": func(s *rundoc.RequestStages) { s.Wait.Count-- },
		"the setup of PUT is not":   func(s *rundoc.RequestStages) { s.Setup.MaxNS = 10 },
		"times: the receiving of":   func(s *rundoc.RequestStages) { s.Receive.MaxNS = 1 },
	} {
		run, d := soundBandwidth(t)
		s := &rundoc.RequestStages{Setup: of(60, 3), Send: of(60, 3), Wait: of(60, 4), Receive: of(60, 3), Whole: of(60, 9)}
		change(s)
		d.Requests[0].Stages, run.Detail = s, d
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if strings.Contains(reasons, "invariant violated") != (want != "") || !strings.Contains(reasons, want) {
			t.Errorf("want %q, got %q", want, reasons)
		}
	}
}
