package updates

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadUpdates,
		Help: run.Help{
			Use: "updates [TOPIC-URL]", Short: "Measure how fast updates reach a server, and prove that none was lost",
			Long: long, Example: example, Most: 1, Args: "one URL of a topic, and flags; quote a URL that holds ? or &",
		},
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(),
	}
}

const long = `Measure how fast batches of key/value updates that are published to a topic reach a server
that applies them, and prove that none was lost and none applied twice.

Without a URL the embedded server is measured, a process of its own with a NATS server in it
('plimsoll serve kv'). nats+js:// without a host is the same with JetStream, which delivers
again what was not acknowledged. With the URL of another topic, the batches go there, and a
server that is started for the run receives them. --kv names a server that runs already.

Batches are due at equal distances, whatever broker and server do (open model), by default 45
batches of 1000 updates a second. The way of a batch has these stages:

  due ─ send delay ─ sent ─ publish ───────────── the broker has it
                     sent ─ transit ─────── received ─ waiting ─ decode and apply ─ applied
  due ─ end to end ──────────────────────────────────────────────────────────────── applied

At the end the server is asked what it received and for a digest of what it holds. Every batch
that the broker acknowledged has to be there, every update applied or found stale once, and
the digest the one that the published updates lead to, which is computed from their
definition. If not, the exit status is 3. docs/updates.md tells the rest.`

const example = `  # ten seconds of 45 batches of 1000 updates, against the embedded server
  plimsoll updates

  # over JetStream, with one listener, and 420 small batches a second
  plimsoll updates nats+js:// --listeners 1 --rate 420 --batch 125

  # 20000 hot keys, one update in ten a delete
  plimsoll updates --hot-keys 20000 --deletes 10%

  # the reference's table, and the largest rate
  plimsoll updates --grid
  plimsoll updates --max --listeners 1

  # a server that runs already, and another one that reads the same topic
  plimsoll updates --kv http://127.0.0.1:8095
  plimsoll updates --check last --kv http://127.0.0.1:8096`
