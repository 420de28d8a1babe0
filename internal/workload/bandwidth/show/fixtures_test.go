package show_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	mib = int64(1 << 20)
	sec = int64(time.Second)
	ms  = int64(time.Millisecond)
	us  = int64(time.Microsecond)
)

// moves is what the simulation assumes of a bandwidth run: its single operations, one after
// the other in each stream.
type moves struct {
	blocks []rundoc.Block
	clocks map[int]int64 // of the streams
	rng    *rand.Rand
}

func newMoves() *moves {
	return &moves{clocks: map[int]int64{}, rng: rand.New(rand.NewPCG(21, 34))}
}

func (m *moves) add(stream, iteration int, operation string, bytes, total, took int64) {
	m.blocks = append(m.blocks, rundoc.Block{
		Operation: operation, Stream: stream, Iteration: iteration, Bytes: bytes, Total: total,
		StartNS: m.clocks[stream], DurationNS: took,
	})
	m.clocks[stream] += took + 3*us
}

// meet makes the streams wait for each other.
func (m *moves) meet(streams int) {
	latest := int64(0)
	for _, c := range m.clocks {
		latest = max(latest, c)
	}
	for s := range streams {
		m.clocks[s+1] = latest
	}
}

func (m *moves) about(ns int64) int64 { return int64(float64(ns) * math.Exp(0.25*m.rng.NormFloat64())) }

// upload writes a file; block gives the time of the block with this number.
func (m *moves) upload(stream, iteration int, size, block, create, closing int64, took func(i int64) int64) {
	m.add(stream, iteration, rundoc.OperationCreate, 0, 0, create)
	for i := int64(0); i*block < size; i++ {
		n := min(block, size-i*block)
		m.add(stream, iteration, rundoc.OperationUploadBlock, n, i*block+n, took(i))
	}
	m.add(stream, iteration, rundoc.OperationCloseUpload, 0, size, closing)
}

func (m *moves) download(stream, iteration int, size, block, open int64, took func(i int64) int64) {
	m.add(stream, iteration, rundoc.OperationOpen, 0, 0, open)
	for i := int64(0); i*block < size; i++ {
		n := min(block, size-i*block)
		m.add(stream, iteration, rundoc.OperationDownloadBlock, n, i*block+n, took(i))
	}
	m.add(stream, iteration, rundoc.OperationCloseDownload, 0, size, 3*ms)
}

var operationNames = []string{
	rundoc.OperationCreate, rundoc.OperationUploadBlock, rundoc.OperationFlush, rundoc.OperationCloseUpload,
	rundoc.OperationRename, rundoc.OperationOpen, rundoc.OperationDownloadBlock, rundoc.OperationCloseDownload,
	rundoc.OperationDelete,
}

func summaryOf(blocks []rundoc.Block, operation string) rundoc.Summary {
	h := hdrhistogram.New(1, 1<<42, 3)
	exact := rundoc.Exact{Min: math.MaxInt64}
	for _, b := range blocks {
		if b.Operation == operation && b.Cause == "" {
			_ = h.RecordValue(b.DurationNS)
			exact.Min, exact.Max, exact.Sum = min(exact.Min, b.DurationNS), max(exact.Max, b.DurationNS), exact.Sum+b.DurationNS
		}
	}
	return rundoc.Summarize(h, exact)
}

// bandwidthRun makes a document that keeps all laws of single operations.
func bandwidthRun(m *moves, d rundoc.BandwidthDetail, url string) *rundoc.Run {
	start := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	end := int64(0)
	for _, c := range m.clocks {
		end = max(end, c)
	}
	slices.SortStableFunc(m.blocks, func(a, b rundoc.Block) int {
		return int((a.StartNS + a.DurationNS - b.StartNS - b.DurationNS) / 1000)
	})
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "20260504T093000Z-7f3a", Workload: "bandwidth",
		Started: start, Ended: start.Add(time.Duration(end)),
		Tool: rundoc.Tool{Version: "0.1.0", Commit: "0123456", Go: "go1.26.0"},
		Host: rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU", CPUs: 8}, Target: rundoc.Target{URL: url},
		Plan: json.RawMessage(fmt.Sprintf(`{"url":%q,"load":{"seed":7,"clients":%d,"pipeline":1,"drain_ns":5000000000,"retry":{}},`+
			`"size_bytes":%d,"block_bytes":%d,"streams":%d,"repeat":%d,"data":"random","checksum":"crc32c","policy":"whole-file"}`,
			url, d.Streams, d.SizeBytes, d.BlockBytes, d.Streams, max(1, d.Iterations))),
	}
	points := make([]rundoc.Point, end/sec+1)
	inside := int64(0)
	for _, name := range operationNames {
		o := rundoc.Operation{Name: name}
		for _, b := range m.blocks {
			if b.Operation != name {
				continue
			}
			o.Scheduled++
			o.Attempts++
			inside += b.DurationNS
			p := &points[(b.StartNS+b.DurationNS)/sec]
			if b.Cause != "" {
				o.Failed++
				p.Failed++
				o.Causes = []rundoc.Cause{{Cause: b.Cause, Count: o.Failed}}
				continue
			}
			o.OK++
			o.Bytes += b.Bytes
			p.OK++
			p.Bytes += b.Bytes
		}
		if o.Scheduled == 0 {
			continue
		}
		o.ServiceTime = summaryOf(m.blocks, name)
		o.ResponseTime, o.FirstAttempt = o.ServiceTime, o.ServiceTime
		o.RatePerS, o.BytesPerS = float64(o.OK)/(float64(end)/1e9), float64(o.Bytes)/(float64(end)/1e9)
		run.Operations = append(run.Operations, o)
	}
	var all, ok int64
	for i := range points {
		points[i].Second = int64(i)
		points[i].InFlight = new(float64(d.Streams))
	}
	for _, o := range run.Operations {
		all, ok = all+o.Scheduled, ok+o.OK
	}
	run.Series = points
	run.Phases = []rundoc.Phase{{Name: rundoc.PhaseWindow, Started: start, DurationNS: end, Operations: all, OK: ok, RatePerS: float64(ok) / (float64(end) / 1e9)}}
	run.Ledger = rundoc.Ledger{Clients: d.Streams, WindowNS: end, States: map[string]int64{
		rundoc.StateSending: inside / 3, rundoc.StateAwaiting: inside - inside/3, rundoc.StateWaiting: (int64(d.Streams)*end - inside) / 2,
		rundoc.StatePreparing: int64(d.Streams)*end - inside - (int64(d.Streams)*end-inside)/2,
	}}
	run.Generator = rundoc.Generator{CPUUserNS: end / 4, CPUSystemNS: end / 3, CPUShare: 0.07, CPUs: 8, MachineShare: 0.1, GCPauseNS: 90 * us,
		ThrottledNS: new(int64(0)), MaxRSSBytes: 320 << 20}
	d.Upload, d.Download = transferOf(m.blocks, "upload"), transferOf(m.blocks, "download")
	d.Blocks = m.blocks
	run.Detail = &d
	return run
}

// edit changes the detail of a document.
func edit(run *rundoc.Run, change func(d *rundoc.BandwidthDetail)) *rundoc.Run {
	change(run.Bandwidth())
	return run
}

// transferOf computes a transfer from single operations, as the document says that it is.
func transferOf(blocks []rundoc.Block, name string) *rundoc.Transfer {
	first, last := rundoc.OperationCreate, rundoc.OperationCloseUpload
	if name == "download" {
		first, last = rundoc.OperationOpen, rundoc.OperationCloseDownload
	}
	type span struct{ from, to, bytes int64 }
	iterations := map[int]*span{}
	var order []int
	t := &rundoc.Transfer{Block: summaryOf(blocks, name+"-block"), Open: summaryOf(blocks, first), Close: summaryOf(blocks, last)}
	var streamTime, closeTime, blockTime int64
	begun := map[[2]int]int64{}
	courses := map[int64]int64{}
	for _, b := range blocks {
		if b.Operation != first && b.Operation != name+"-block" && b.Operation != last {
			continue
		}
		s := iterations[b.Iteration]
		if s == nil {
			s = &span{from: math.MaxInt64}
			iterations[b.Iteration] = s
			order = append(order, b.Iteration)
		}
		ended := b.StartNS + b.DurationNS
		s.from, s.to = min(s.from, b.StartNS), max(s.to, ended)
		file := [2]int{b.Stream, b.Iteration}
		switch b.Operation {
		case first:
			begun[file] = b.StartNS
		case last:
			if b.Cause != "" {
				break
			}
			t.Files++
			t.Bytes += b.Total
			s.bytes += b.Total
			streamTime += ended - begun[file]
			closeTime += b.DurationNS
			delete(begun, file)
		default:
			if b.Cause == "" {
				blockTime += b.DurationNS
				courses[ended/sec] += b.Bytes
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	t.Failed = int64(len(begun))
	for _, i := range order {
		s := iterations[i]
		t.DurationNS += s.to - s.from
		t.Iterations = append(t.Iterations, rundoc.IterationFigure{Bytes: s.bytes, DurationNS: s.to - s.from})
	}
	if t.Files > 0 {
		t.BytesPerS = float64(t.Bytes) / (float64(t.DurationNS) / 1e9)
		t.CloseShare = float64(closeTime) / float64(streamTime)
	}
	if t.Block.Count > 0 {
		t.BlockWithCloseNS = (blockTime + closeTime) / t.Block.Count
	}
	t.Block.HDR, t.Open.HDR, t.Close.HDR = "", "", ""
	for second, bytes := range courses {
		t.Course = append(t.Course, rundoc.CoursePoint{Second: second, Client: bytes})
	}
	slices.SortFunc(t.Course, func(a, b rundoc.CoursePoint) int { return int(a.Second - b.Second) })
	if name == "download" && t.Block.Count > 0 {
		t.FirstBlockNS = t.Open.MeanNS + t.Block.MinNS
	}
	return t
}

// network gives a transfer's course the bytes of its requests: even over the whole time of
// each iteration, as the network carried them.
func network(d *rundoc.BandwidthDetail, t *rundoc.Transfer, name string) {
	moved := map[int64]int64{}
	client := map[int64]int64{}
	for _, p := range t.Course {
		client[p.Second] = p.Client
	}
	for iteration, i := range t.Iterations {
		from, to := int64(math.MaxInt64), int64(0)
		for _, b := range d.Blocks {
			up := b.Operation == rundoc.OperationCreate || b.Operation == rundoc.OperationUploadBlock || b.Operation == rundoc.OperationCloseUpload
			down := b.Operation == rundoc.OperationOpen || b.Operation == rundoc.OperationDownloadBlock
			if b.Iteration == iteration+1 && (name == "upload" && up || name == "download" && down) {
				from, to = min(from, b.StartNS), max(to, b.StartNS+b.DurationNS)
			}
		}
		for s := from / sec; s*sec < to; s++ {
			part := min(to, (s+1)*sec) - max(from, s*sec)
			moved[s] += int64(float64(i.Bytes) * float64(part) / float64(to-from))
		}
	}
	t.Course = nil
	for s := int64(0); s < 1000; s++ {
		if moved[s]+client[s] > 0 {
			t.Course = append(t.Course, rundoc.CoursePoint{Second: s, Client: client[s], Network: moved[s]})
		}
	}
}

// flowing gives a document what was counted, in bins of 100 ms: even over the whole time of each iteration, but for
// the stretch in which nothing moved.
func flowing(d *rundoc.BandwidthDetail, counted string, still ...rundoc.Standstill) {
	const bin = sec / 10
	d.Flow = &rundoc.Flow{Counted: counted, BinNS: bin, LongestLookNS: 107 * ms}
	for _, t := range d.Transfers() {
		bins := &d.Flow.Received
		if t.Name == rundoc.OperationUpload {
			bins = &d.Flow.Sent
		}
		for n := range t.Iterations {
			i := &t.Iterations[n]
			from := iterationStart(d.Blocks, t.Name, n+1)
			i.FromNS = &from
			even := func(at int64) float64 { return float64(min(max(at-from, 0), i.DurationNS)) }
			if len(still) > 0 && t.Name == rundoc.OperationUpload {
				even = func(at int64) float64 {
					quiet := min(max(at-still[0].FromNS, 0), still[0].DurationNS)
					return float64(min(max(at-from, 0), i.DurationNS)-quiet) * float64(i.DurationNS) /
						float64(i.DurationNS-still[0].DurationNS)
				}
				t.Standstill = &still[0]
			}
			for b := from / bin; b*bin < from+i.DurationNS; b++ {
				for int64(len(*bins)) <= b {
					*bins = append(*bins, 0)
				}
				(*bins)[b] += int64(1.003 * float64(i.Bytes) * (even((b+1)*bin) - even(b*bin)) / float64(i.DurationNS))
			}
		}
	}
}

// iterationStart is when the first operation of an iteration of a transfer began.
func iterationStart(blocks []rundoc.Block, transfer string, iteration int) int64 {
	first := rundoc.OperationCreate
	if transfer == rundoc.OperationDownload {
		first = rundoc.OperationOpen
	}
	from := int64(math.MaxInt64)
	for _, b := range blocks {
		if b.Iteration == iteration && b.Operation == first {
			from = min(from, b.StartNS)
		}
	}
	return from
}

// part is a part's request: how many there were, and how long they took.
func request(name string, attempts, retries, each, sent, received int64) rundoc.RequestFigures {
	r := rundoc.RequestFigures{
		Name: name, Attempts: attempts, Failed: retries, Retries: retries, BytesSent: sent, BytesReceived: received, Connections: 1 + attempts/20,
		SetupNS: attempts / 20 * 9 * ms, WaitNS: attempts * 30 * ms, TotalNS: attempts * each, SlowestNS: each * 3,
		Qualities: map[string]int64{},
	}
	if retries > 0 {
		r.Causes = []rundoc.Cause{{Cause: "slow-down", Count: retries - retries/3}, {Cause: "reset", Count: retries / 3}}
	}
	switch body := r.TotalNS - r.SetupNS - r.WaitNS; {
	case sent > 0:
		r.SendNS = body
		rate := float64(sent) / (float64(body) / 1e9)
		r.Handoff = &rundoc.BodyRate{Attempts: attempts, BytesPerS: rate * 1.07}
		r.Delivered = &rundoc.BodyRate{Attempts: attempts - retries, BytesPerS: rate}
		r.Qualities["ok"], r.Qualities["aborted"] = attempts-retries, retries
		r.Limits = map[string]int64{"network": attempts - retries}
	case received > 0:
		r.ReceiveNS = body
		r.Read = &rundoc.BodyRate{Attempts: attempts, BytesPerS: float64(received) / (float64(body) / 1e9)}
		r.Qualities["ok"] = attempts
	default:
		r.Qualities["below_resolution"] = attempts
	}
	return r
}

var s3Store = rundoc.StoreUsed{
	Client: "aws-sdk-go-v2 1.39.0", Endpoint: "https://s3.eu-west-2.amazonaws.com", PartBytes: 8 * mib, ActiveParts: 8,
	Integrity: "CRC32 of each part, checked by the store; payload not signed", Data: "random", Policy: "parallel",
	Settings: []rundoc.Setting{
		{Name: "fs.s3a.multipart.size", Value: "8M", Source: "core-site.xml"},
		{Name: "fs.s3a.secret.key", Value: "(secret)", Source: "core-site.xml"},
	},
	Ignored: []string{"fs.s3a.committer.name", "fs.s3a.fast.upload.buffer"},
	Notes:   []string{"Files of up to one part are written in one request, when they are closed."},
}

// s3Run: two streams, three iterations, parts that were tried again.
func s3Run() *rundoc.Run {
	const size, block = 256 * mib, 8 * mib
	m := newMoves()
	for iteration := 1; iteration <= 3; iteration++ {
		for stream := 1; stream <= 2; stream++ {
			m.upload(stream, iteration, size, block, m.about(40*ms), m.about(620*ms), func(i int64) int64 {
				if i < 8 {
					return m.about(4 * ms) // the queue has room
				}
				return m.about(int64(95+10*iteration) * ms)
			})
		}
		m.meet(2)
		for stream := 1; stream <= 2; stream++ {
			m.download(stream, iteration, size, block, m.about(25*ms), func(int64) int64 { return m.about(60 * ms) })
		}
		m.meet(2)
		for stream := 1; stream <= 2; stream++ {
			m.add(stream, iteration, rundoc.OperationDelete, 0, size, m.about(30*ms))
		}
		m.meet(2)
	}
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: size, BlockBytes: block, Streams: 2, Iterations: 3, Store: s3Store,
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumOK, Bytes: 6 * size},
		CSV:      &rundoc.SamplesFile{Path: "blocks.csv", Written: 418},
		Requests: []rundoc.RequestFigures{
			request("CreateMultipartUpload", 6, 0, 38*ms, 0, 0),
			request("UploadPart", 198, 6, 730*ms, 198*block, 0),
			request("CompleteMultipartUpload", 6, 0, 110*ms, 0, 0),
			request("GetObject", 192, 0, 410*ms, 0, 6*size),
			request("DeleteObject", 6, 0, 30*ms, 0, 0),
		},
		Limits: []rundoc.Limit{
			{Transfer: "upload", What: "queue", Share: 0.81, Message: "the writes waited for a place in the queue of 8 parts: try --active-blocks 16"},
			{Transfer: "upload", What: "store", Share: 0.1, Message: "waiting for the store's answers took 10 % of the requests' time: try --part-size 32MiB"},
			{Transfer: "download", What: "network", Share: 0.93, Message: "receiving took 93 % of the requests' time: the network, or the store's way of sending, is what is slow; --policy prefetch reads several ranges at the same time"},
		},
	}, "s3://example-bucket/plimsoll")
	return edit(run, func(d *rundoc.BandwidthDetail) {
		flowing(d, rundoc.CountedKernel)
		d.Flow.Encrypted = true
		d.Upload.DataNS, d.Download.DataNS = 31*ms, 44*ms
	})
}

// The reference's example: the rows of its CSV, in milliseconds.
var (
	referenceUp   = []int64{2, 2, 2, 99, 2, 2, 3, 2, 2, 2, 2, 11093, 4, 3, 2, 8248}
	referenceDown = []int64{1773, 3491, 4255, 4929, 5030, 4648, 3951, 5080, 3548, 5085, 4298, 3824, 3883, 5594, 5318, 4743}
)

func referenceRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 128*mib, 8*mib, 397*ms, 11706*ms, func(i int64) int64 { return referenceUp[i] * ms })
	m.download(1, 1, 128*mib, 8*mib, 47*ms, func(i int64) int64 { return referenceDown[i] * ms })
	m.add(1, 1, rundoc.OperationDelete, 0, 128*mib, 161*ms)
	store := s3Store
	store.Client, store.PartBytes, store.ActiveParts, store.Policy = "hadoop 3.3.4", 32*mib, 2, "whole-file"
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: 128 * mib, BlockBytes: 8 * mib, Streams: 1, Iterations: 1, Store: store,
		Checksum: rundoc.Checksum{Verdict: rundoc.ChecksumNone},
		Requests: []rundoc.RequestFigures{
			request("UploadPart", 4, 0, 9500*ms, 128*mib, 0), request("GetObject", 1, 0, 69*sec, 0, 128*mib),
		},
		Limits: []rundoc.Limit{{Transfer: "upload", What: "network", Share: 0.97, Message: "sending took 97 % of the requests' time: the network, or the store's way of taking the data, is what is slow"}},
	}, "s3a://example-london/tmp")
	return edit(run, func(d *rundoc.BandwidthDetail) { network(d, d.Upload, "upload") })
}

// stallRun: one part stands still for two seconds, and the writes behind it wait.
func stallRun() *rundoc.Run {
	const size, block = 400 * mib, 4 * mib
	m := newMoves()
	m.upload(1, 1, size, block, 12*ms, 160*ms, func(i int64) int64 {
		if i == 60 {
			return 2*sec + m.about(40*ms)
		}
		return m.about(40 * ms)
	})
	m.download(1, 1, size, block, 9*ms, func(int64) int64 { return m.about(30 * ms) })
	store := s3Store
	store.Settings, store.Ignored, store.Notes, store.Endpoint = nil, nil, nil, ""
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: size, BlockBytes: block, Streams: 1, Iterations: 1, Store: store,
		Checksum: rundoc.Checksum{Algorithm: "sha256", Verdict: rundoc.ChecksumOK, Bytes: size},
		Requests: []rundoc.RequestFigures{request("UploadPart", 100, 0, 80*ms, size, 0), request("GetObject", 100, 0, 60*ms, 0, size)},
		Left:     []string{"plimsoll/20260504T093000Z-7f3a/1"},
	}, "http://127.0.0.1:40123/bucket")
	run.Target = rundoc.Target{URL: "s3://plimsoll", Embedded: true, SameHost: true, CPUUserNS: 400 * ms, CPUSystemNS: 2 * sec}
	return edit(run, func(d *rundoc.BandwidthDetail) {
		from := int64(0)
		for _, b := range d.Blocks {
			if b.Operation == rundoc.OperationUploadBlock && b.DurationNS > 2*sec {
				from = b.StartNS + 30*ms
			}
		}
		flowing(d, rundoc.CountedKernel, rundoc.Standstill{FromNS: from, DurationNS: 2 * sec, AllNS: 2 * sec})
		d.Slow = []rundoc.SlowRequest{{
			Name: "UploadPart", Of: "part 31", FromNS: from - 45*ms, DurationNS: 2100 * ms, MedianNS: 78 * ms,
		}}
	})
}

// slowCloseRun: an upload alone whose close takes longer than many applications may be silent,
// and that waits for its data.
func slowCloseRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 512*mib, 64*mib, 80*ms, 75*sec, func(int64) int64 { return m.about(15 * ms) })
	store := s3Store
	store.Settings = nil
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: 512 * mib, BlockBytes: 64 * mib, Streams: 1, Iterations: 1, Store: store,
		Checksum: rundoc.Checksum{Verdict: rundoc.ChecksumNone},
		Requests: []rundoc.RequestFigures{request("UploadPart", 64, 0, 9*sec, 512*mib, 0)},
	}, "gs://example-bucket/plimsoll")
	return edit(run, func(d *rundoc.BandwidthDetail) {
		network(d, d.Upload, "upload")
		d.Upload.DataNS = 5 * sec
	})
}

// corruptRun: a download alone that brings other data than was written.
func corruptRun() *rundoc.Run {
	m := newMoves()
	m.download(1, 1, 100_000_000, 8*mib, 30*ms, func(int64) int64 { return m.about(300 * ms) })
	return bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: 100_000_000, BlockBytes: 8 * mib, Streams: 1, Iterations: 1,
		Store: rundoc.StoreUsed{Client: "net/http", Data: "random"},
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumMismatch, Bytes: 100_000_000,
			Mismatch: "byte 41,943,047 of stream 1, iteration 1: in the block that begins at 41,943,040"},
		Requests: []rundoc.RequestFigures{request("GET", 1, 0, 4*sec, 0, 100_000_000)},
	}, "https://files.example.com/big.bin")
}

// cutRun: a signal, and a failure for good, ended it in the middle of an upload.
func cutRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 64*mib, 8*mib, 20*ms, 400*ms, func(int64) int64 { return m.about(300 * ms) })
	m.add(2, 1, rundoc.OperationCreate, 0, 0, 22*ms)
	m.add(2, 1, rundoc.OperationUploadBlock, 8*mib, 8*mib, 310*ms)
	m.add(2, 1, rundoc.OperationUploadBlock, 0, 8*mib, 2100*ms)
	m.blocks[len(m.blocks)-1].Cause = "access-denied"
	m.clocks[3] = 2 * ms
	m.add(3, 1, rundoc.OperationCreate, 0, 0, 24*ms)
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: 64 * mib, BlockBytes: 8 * mib, Streams: 3,
		Store:    rundoc.StoreUsed{Client: "azblob 1.6.0", PartBytes: 24 * mib, ActiveParts: 4, Data: "text"},
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumNone},
		Requests: []rundoc.RequestFigures{request("PutBlock", 5, 2, 600*ms, 72*mib, 0)},
		Left:     []string{"plimsoll/20260504T093000Z-7f3a/2"},
	}, "abfss://container@example.dfs.core.windows.net/plimsoll")
	run.Interrupted = true
	return edit(run, func(d *rundoc.BandwidthDetail) { d.Download = &rundoc.Transfer{} })
}

// fileRun: a store that does not speak HTTP.
func fileRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 2048*mib, 16*mib, 1*ms, 310*ms, func(int64) int64 { return m.about(11 * ms) })
	m.add(1, 1, rundoc.OperationRename, 0, 2048*mib, 60*us)
	m.download(1, 1, 2048*mib, 16*mib, 40*us, func(int64) int64 { return m.about(9 * ms) })
	m.add(1, 1, rundoc.OperationDelete, 0, 2048*mib, 70*ms)
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: 2048 * mib, BlockBytes: 16 * mib, Streams: 1, Iterations: 1,
		Store: rundoc.StoreUsed{Client: "the system's files", Data: "random",
			Notes: []string{"What is read may come from the system's cache of the disk, and not from the disk."}},
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumOK, Bytes: 2048 * mib},
		Limits:   []rundoc.Limit{{Transfer: "download", What: "client", Share: 0.7, Message: "one stream read one block after the other: try --streams 2"}},
	}, "file:///var/tmp/plimsoll")
	run.Target.SameHost = true
	return edit(run, func(d *rundoc.BandwidthDetail) { flowing(d, rundoc.CountedCalls) })
}

// timesAbout are those of many requests of this median.
func timesAbout(m *moves, count int, median int64) rundoc.Summary {
	var all []rundoc.Block
	for range count {
		all = append(all, rundoc.Block{DurationNS: m.about(median)})
	}
	return summaryOf(all, "").WithoutHistogram()
}

// smallRun: many small files, of which the objects in a second tell more than the bytes.
func smallRun() *rundoc.Run {
	const size, files = 4 << 10, 1200
	m := newMoves()
	for iteration := 1; iteration <= files; iteration++ {
		m.upload(1, iteration, size, 8*mib, 3*us, m.about(9*ms), func(int64) int64 { return m.about(300) })
		m.download(1, iteration, size, 8*mib, m.about(4*ms), func(int64) int64 { return m.about(5 * ms) })
		m.add(1, iteration, rundoc.OperationDelete, 0, size, m.about(5*ms))
	}
	store := s3Store
	store.Settings, store.Ignored, store.Policy = nil, nil, "whole-file"
	stages := func(r rundoc.RequestFigures) rundoc.RequestFigures {
		r.Stages = &rundoc.RequestStages{
			Setup: timesAbout(m, files, 8*us), Send: timesAbout(m, files, 40*us), Wait: timesAbout(m, files, 4*ms),
			Receive: timesAbout(m, files, 30*us), Whole: timesAbout(m, files, 9*ms),
		}
		return r
	}
	run := bandwidthRun(m, rundoc.BandwidthDetail{
		SizeBytes: size, BlockBytes: 8 * mib, Streams: 1, Iterations: files, Store: store,
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumOK, Bytes: files * size},
		Requests: []rundoc.RequestFigures{
			stages(request("PutObject", files, 0, 40*ms, files*size, 0)), request("HeadObject", files, 0, 32*ms, 0, 0),
			stages(request("GetObject", files, 0, 40*ms, 0, files*size)), request("DeleteObject", files, 0, 32*ms, 0, 0),
		},
		Limits: []rundoc.Limit{{Transfer: "upload", What: "store", Share: 0.9, Message: "waiting for the store's answers took 90 % of the requests' time: larger files, or several at the same time (--streams), share in it"}},
	}, "s3://example-bucket/plimsoll")
	return edit(run, func(d *rundoc.BandwidthDetail) {
		d.BlocksOmitted, d.Blocks = int64(len(d.Blocks)), nil // which would be most of the document
		for _, t := range d.Transfers() {
			t.Iterations = nil
		}
	})
}
