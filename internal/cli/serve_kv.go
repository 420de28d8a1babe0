package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/server"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/internal/topic/nats"
	"github.com/plimsoll/plimsoll/internal/units"
)

const serveKVLong = `Serve the key/value server that 'plimsoll updates' measures in its demo: it
applies batches of updates from a topic to a store in memory, acknowledges them,
and serves reads over HTTP.

Of two updates of a key the later one wins, by commit time, publisher, sequence
number and row, in whatever order they arrive. A redelivered batch changes
nothing.

Without a URL, the server starts a NATS broker in its own process and prints its
address. nats+js:// without a host uses JetStream, which redelivers
unacknowledged messages. Any other URL names an existing topic.

  GET /v1/getvalues?keys=a,b   the values of keys
  PUT /v2/getvalues            the same by partitions, as in the key/value API
  GET /health                  the backlog; 503 while the server cannot receive
                               or loads data, with the progress
  GET /health/live             200 as soon as the process runs
  GET /stats                   exact percentiles of the stages of a batch
  GET /metrics                 Prometheus metrics
  GET /v1/info                 version and topic
  GET /v1/runs/RUN             what was received of a run, for its verification

With --journal, each batch is written to a file before it is acknowledged and is
applied again after a restart. SIGINT or SIGTERM stops the server after received
batches have been applied. See docs/kv.md; 'plimsoll deltas' creates files for
--data.`

const serveKVExample = `  # with a broker of its own, for 'updates --kv http://127.0.0.1:8095'
  plimsoll serve kv --listen 127.0.0.1:8095

  # an existing JetStream; nothing is lost if the server is killed
  plimsoll serve kv nats+js://broker:4222/updates --journal /var/lib/plimsoll-kv

  # a fault, to test publishers: one batch in forty is not acknowledged
  plimsoll serve kv nats+js:// --skip-ack 40`

func newServeKV(env *Env) *cobra.Command {
	cfg := kvtarget.Default()
	cmd := &cobra.Command{
		Use:     "kv [TOPIC-URL]",
		Short:   "Serve the demo server of 'plimsoll updates'",
		Long:    serveKVLong,
		Example: serveKVExample,
		Args:    command.AtMost(1, "it takes one argument, a topic URL"),
		ValidArgsFunction: cobra.FixedCompletions(topics.Drivers().URLs(),
			cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp),
	}
	command.AddFlags(cmd, cfg.Settings())
	runUntilTold(cmd, env, func(ctx context.Context, child bool) error {
		raw := cmd.Flags().Arg(0)
		if child && raw == "" {
			raw = env.Getenv(server.TopicVariable)
		}
		return serveKV(ctx, env, raw, cfg, child)
	})
	return cmd
}

// serveKV serves until ctx is done. To be told to end before it has begun is no failure.
func serveKV(ctx context.Context, env *Env, raw string, cfg kvtarget.Config, child bool) error {
	err := startAndServeKV(ctx, env, raw, cfg, child)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func startAndServeKV(ctx context.Context, env *Env, raw string, cfg kvtarget.Config, child bool) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	places, closePlaces, err := kvData(ctx, cfg.Data, cfg.DataEndpoint, cfg.Timeout)
	if err != nil {
		return err
	}
	source, release, err := kvSource(ctx, raw, &cfg)
	if err != nil {
		return errors.Join(err, closePlaces())
	}
	source.Data = places
	err = serveKVFrom(ctx, env, source, cfg, child)
	if ended := errors.Join(release(), closePlaces()); err == nil {
		err = ended
	}
	return err
}

// kvTopic is what the server receives from, and where others reach it.
type kvTopic struct {
	kvtarget.Source
	broker string // URL of the embedded message service, with its token; else ""
}

func serveKVFrom(ctx context.Context, env *Env, from kvTopic, cfg kvtarget.Config, child bool) error {
	view := run.NewView(env, child, report.Kind{})
	beside := *env // what the server says and the line of the view take turns
	beside.Stderr = view.Beside()
	s, err := kvtarget.New(cfg, from.Source, serverLog(&beside))
	if err != nil {
		return err
	}
	where := func() string { return servingKV(s.URL(), &from, &cfg) }
	return serveBeside(ctx, &beside, loadingKV{s, view}, from.broker, child, where)
}

// loadingKV is a server that shows how far it is with its data.
type loadingKV struct {
	*kvtarget.Server
	view *run.View
}

// Listen loads the data, and listens.
func (s loadingKV) Listen(ctx context.Context) error {
	defer s.view.Begin("loading", func() run.Live { return loadingLive(s.Loading()) })()
	return s.Server.Listen(ctx)
}

// loadingLive shows how far the data is. How many batches the journal has, only its end tells.
func loadingLive(l kvtarget.Loading) run.Live {
	switch {
	case l.Of > 0:
		live := run.Live{Phase: "loading the data", Done: -1, Left: -1,
			Count: units.Number(l.Files) + " of " + units.Count(l.Of, "file", "files"), What: units.Count(l.Rows, "row", "rows")}
		if l.Files > 0 { // how much of the first one is done, nobody knows
			live.Done = float64(l.Files) / float64(l.Of)
		}
		return live
	case l.Batches > 0:
		return run.Live{Phase: "reading the journal", Done: -1, Left: -1, Count: units.Count(l.Batches, "batch", "batches")}
	}
	return run.Live{Done: -1, Left: -1}
}

// kvSource opens the topic, at an embedded broker if the URL names none. What it gives must be
// released.
func kvSource(ctx context.Context, raw string, cfg *kvtarget.Config) (kvTopic, func() error, error) {
	source := kvTopic{Source: kvtarget.Source{Version: versionLine()}}
	release := func() error { return nil }
	address, embedded := raw, false
	if u, ok := hostless(raw); ok {
		b, err := broker.Start(ctx, broker.Config{JetStream: u.Scheme == nats.JetStream})
		if err != nil {
			return source, nil, err
		}
		release, embedded = b.Close, true
		if address, err = atBroker(u, b.URL(), cfg.SkipAck > 0); err != nil {
			return source, nil, errors.Join(err, release())
		}
		source.broker, source.OwnBroker = address, true
		cfg.Ephemeral = true // the broker ends with the server
	}
	if cfg.Subscription == "" {
		cfg.Subscription = kvSubscription(embedded)
	}
	opened, err := topics.Open(ctx, address, cfg.Timeout)
	if err != nil {
		return source, nil, errors.Join(err, release())
	}
	source.Topic, source.URL = opened, topics.Redact(address)
	return source, func() error { return errors.Join(opened.Close(), release()) }, nil
}

// hostless says whether the topic is to be at an embedded broker: without a URL, and with one
// of NATS that names no host.
func hostless(raw string) (*url.URL, bool) {
	if raw == "" {
		return &url.URL{Scheme: nats.Core}, true
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host != "" || u.Opaque != "" || u.Scheme != nats.Core && u.Scheme != nats.JetStream {
		return nil, false
	}
	return u, true
}

// atBroker is the topic u at the broker with this URL. What u says of the topic counts. Messages
// that are not acknowledged on purpose come again soon: most runs are over before the default.
func atBroker(u *url.URL, address string, again bool) (string, error) {
	b, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if u.User != nil {
		return "", fault.New(fault.Usage, "the broker of this server has no users").
			Hint("remove the part before @, or add a host after it")
	}
	query := b.Query()
	if again && u.Scheme == nats.JetStream {
		query.Set("ack_wait", "1s")
	}
	for name, values := range u.Query() {
		query[name] = values
	}
	b.RawQuery = query.Encode()
	if u.Path != "" {
		b.Path = u.Path
	}
	return b.String(), nil
}

// kvSubscription is the name of the server's subscription when none is given. Each server needs
// its own to get every message, and the same again after a restart to miss none.
func kvSubscription(embedded bool) string {
	const name = "plimsoll-kv"
	host, err := os.Hostname()
	if embedded || err != nil {
		return name
	}
	allowed := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}
	return name + "-" + strings.Map(allowed, host)
}

// servingKV says where the server is, where it reads from, and how to ask it.
func servingKV(where string, source *kvTopic, cfg *kvtarget.Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, `serving keys and values at %s
`, where)
	if source.broker != "" { // nothing else tells it: who reads this may publish
		fmt.Fprintf(&b, "publishers on this machine: %s\n", source.broker)
	} else {
		fmt.Fprintf(&b, "receiving from %s, subscription %s\n", source.URL, cfg.Subscription)
	}
	if d := source.Topic.Describe(); !d.AtLeastOnce {
		fmt.Fprintf(&b, `%s can lose messages and does not redeliver unacknowledged ones
`, d.Transport)
	}
	fmt.Fprintf(&b, "curl '%s/v1/getvalues?keys=a,b'", where)
	return b.String()
}
