package updates

import (
	"github.com/plimsoll/plimsoll/internal/run"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadUpdates,
		Help: run.Help{
			Use: "updates [TOPIC-URL]", Short: "Measure how fast updates reach a server, and whether any are lost",
			Long: long, Example: example, Most: 1, Args: "it takes one topic URL; quote a URL that contains ? or &",
		},
		Offer:  topics.Drivers().URLs,
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(),
		AmongMany: []run.Preset{
			{Setting: "duration", Value: "5s", Unless: []string{"max", "grid", "from"}},
			{Setting: "warmup-time", Value: "1s", Unless: []string{"max", "grid", "from"}},
		},
		Compared: []string{"applied", "visibility.p50", "visibility.p90", "visibility.p99", "failed", "cpu_per_operation"},
		InTurn: []run.Preset{
			// A window until all of it is applied; of the demo's 45 batches a second as many as have a p90.
			{Setting: "duration", Value: "3s", Unless: []string{"max", "grid", "from"}},
			{Setting: "warmup-time", Value: "500ms", Unless: []string{"max", "grid", "from"}},
		},
	}
}

const long = `Measure how long published batches of key/value updates take to reach a server,
and verify that no update was lost or applied twice. Without a URL, Plimsoll
runs a demo with a server and a NATS broker on this machine.

The demo server is that of 'plimsoll serve kv'. nats+js:// without a host uses
JetStream, which redelivers unacknowledged messages. With another topic URL,
Plimsoll publishes there and starts a server that subscribes to it; --kv names a
server that is already running.

Batches are published at their scheduled start, however fast the broker and the
server are (open model), by default 45 batches of 1,000 updates per second. Each
batch passes these stages:

  scheduled ─ send delay ─ sent ─ publish ───── acknowledged by the broker
                           sent ─ transit ─ received ─ wait ─ apply ─ applied
  scheduled ─ end to end ──────────────────────────────────────────── applied

At the end, the server reports what it received and a digest of its contents.
Every batch that the broker acknowledged must be there, every update must be
applied or superseded exactly once, and the digest must match the published
updates, on each server (--servers, --kv). Otherwise, or if a scheduled batch
was not published, the exit status is 3. --reads also reads the published keys
and measures the reads. See docs/updates.md.

'plimsoll deltas' creates and inspects the files of updates that --from
publishes.`

const example = `  # a demo: ten seconds of 45 batches of 1,000 updates per second
  plimsoll updates

  # JetStream, one listener, and 420 small batches per second
  plimsoll updates nats+js:// --listeners 1 --rate 420 --batch 125

  # the highest rate that the server sustains
  plimsoll updates --max --listeners 1

  # a table of eight runs
  plimsoll updates --grid

  # 20,000 hot keys, and one update in ten is a delete
  plimsoll updates --hot-keys 20000 --deletes 10%

  # three servers that must all receive everything, and 1,000 reads per second
  plimsoll updates --servers 3 --reads 1000

  # a server that is already running, and another that reads the same topic
  plimsoll updates --kv http://127.0.0.1:8095
  plimsoll updates --verify last --kv http://127.0.0.1:8096`
