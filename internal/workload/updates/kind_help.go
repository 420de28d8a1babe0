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
			Use: "updates [TOPIC-URL]", Short: "Measure how fast updates reach a server, and if any is lost",
			Long: long, Example: example, Most: 1, Args: "one URL of a topic, and flags; quote a URL that holds ? or &",
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

const long = `Measure how fast batches of key/value updates that are published to a topic
reach a server that applies them, and prove that none was lost and none applied
twice.

Without a URL it is a demo, against a server of its own on this machine with a
NATS server in it ('plimsoll serve kv'). nats+js:// without a host is the same
with JetStream, which delivers again what was not acknowledged. With the URL of
another topic the batches go there, and a server that is started for the run
receives them; --kv names a server that runs already.

Batches are sent when they are due, whatever message service and server do (open
model), by default 45 batches of 1000 updates a second. The way of a batch has
these stages:

  due ─ send delay ─ sent ─ publish ───── the message service has it
                     sent ─ transit ─ received ─ wait ─ decode, apply ─ applied
  due ─ end to end ──────────────────────────────────────────────────── applied

At the end the server is asked what it received, and for a digest of what it
holds. Every batch that the message service acknowledged has to be there, every
update applied or found stale once, and the digest the one that the published
updates lead to; of several servers (--servers, or --kv several times) each is.
If not, or where a batch that was due was never published, the exit status is 3.
--reads also reads what is published, and times it. docs/updates.md tells the
rest.

'plimsoll deltas' makes, converts and looks into files of updates, which --from
publishes.`

const example = `  # a demo: ten seconds of 45 batches of 1000 updates, to a server of its own
  plimsoll updates

  # over JetStream, with one listener, and 420 small batches a second
  plimsoll updates nats+js:// --listeners 1 --rate 420 --batch 125

  # the largest rate that the server keeps up with, and a table of eight runs
  plimsoll updates --max --listeners 1
  plimsoll updates --grid

  # 20000 hot keys, one update in ten a delete
  plimsoll updates --hot-keys 20000 --deletes 10%

  # three servers, each of which has to get all, and 1000 reads a second
  plimsoll updates --servers 3 --reads 1000

  # a server that runs already, and another one that reads the same topic
  plimsoll updates --kv http://127.0.0.1:8095
  plimsoll updates --check last --kv http://127.0.0.1:8096`
