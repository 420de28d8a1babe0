package cli_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

// writeFixtures writes two run documents that never change: first.json is large enough for a
// p99, second.json is not.
func writeFixtures(dir string) error {
	return errors.Join(
		rundoc.WriteFile(filepath.Join(dir, "first.json"), fixture("20261121T100000Z-aaaa", 2469, 1234.5, rundoc.Valid)),
		rundoc.WriteFile(filepath.Join(dir, "second.json"), stranger()),
	)
}

// fixture is a run of two seconds whose messages took 1 ms, but for one in fifty, 2.5 ms.
func fixture(id string, messages int64, rate float64, validity rundoc.Validity) *rundoc.Run {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	var sum int64
	for i := range messages {
		took := int64(time.Millisecond)
		if i%50 == 0 {
			took = 2_500_000
		}
		_ = h.RecordValue(took) // within the histogram's range
		sum += took
	}
	times := rundoc.Summarize(h, rundoc.Exact{Min: 1_000_000, Max: 2_500_000, Sum: sum})
	started, err := time.Parse("20060102T150405Z", id[:16])
	if err != nil {
		panic(err)
	}
	const window = int64(2 * time.Second)
	return &rundoc.Run{
		Schema: rundoc.Schema, ID: id, Workload: "chat",
		Started: started, Ended: started.Add(2 * time.Second),
		Tool:   rundoc.Tool{Version: "1.0.0", Go: "go1.26"},
		Host:   rundoc.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Plan:   json.RawMessage(`{"load":{"clients":2,"duration_ns":2000000000},"output":{"bucket_ns":10000000000}}`),
		Target: rundoc.Target{URL: "ws://127.0.0.1:41234/chat/1", Embedded: true, SameHost: true},
		Phases: []rundoc.Phase{{Name: rundoc.PhaseWindow, Started: started, DurationNS: window, Operations: messages, OK: messages, RatePerS: rate}},
		Operations: []rundoc.Operation{{
			Name: "send", Labels: map[string]string{"type": "TEXT"},
			Scheduled: messages, OK: messages, Attempts: messages, RatePerS: rate,
			ResponseTime: times, ServiceTime: times, FirstAttempt: times,
		}},
		Series:  []rundoc.Point{{Second: 0, OK: messages - 1200}, {Second: 1, OK: 1200}},
		Ledger:  rundoc.Ledger{Clients: 2, WindowNS: window, States: map[string]int64{rundoc.StateAwaiting: 2 * window}},
		Verdict: rundoc.Verdict{Validity: validity},
	}
}

// stranger is a run of another target with too few messages for a p99.
func stranger() *rundoc.Run {
	run := fixture("20261121T110000Z-bbbb", 113, 56.7, rundoc.Suspect)
	run.Target = rundoc.Target{URL: "ws://chat.example.org/{room}"}
	run.Series = []rundoc.Point{{Second: 0, OK: 60}, {Second: 1, OK: 53}}
	return run
}
