package updates

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/rundoc"
)

// clockProbes is how often the server's clock is read.
const clockProbes = 16

// kvServer is the key/value server of a run.
type kvServer struct {
	*run.Target
	client  *kvapi.Client
	info    kvapi.Info
	clock   *hostclock.Clock
	offset  kvapi.Offset // at the start
	clockID uint64       // what messages say of the publisher's clock
	met     int64        // by the clock

	backlog   time.Duration // from the end of the window to the last batch applied; 0 when that came before
	drift     int64         // of its clock, from the start to the end
	fates     rundoc.Fates  // of the window's batches, here
	elsewhere string        // the topic that it reads from, where that is another than the run's
}

// startServer finds a server that runs already, or starts one at a topic, and compares the clocks. The run holds what
// is to be ended.
func startServer(ctx context.Context, life *run.Run, p *Plan, s *kvServer, start starting) error {
	var err error
	if start.kv != "" {
		s.Target = run.Elsewhere(ctx, start.kv)
	} else if s.Target, err = life.Embedded(ctx, "kv", start.args, "no further batches will be received",
		start.secrets()...); err != nil {
		return err
	}
	life.Hold(func() error {
		if s.client != nil {
			s.client.Close()
		}
		return nil
	})
	return s.meet(ctx, p.Load.Retry.Timeout)
}

// meet asks the server what it is. The timeout bounds each question that does not say otherwise.
func (s *kvServer) meet(ctx context.Context, timeout time.Duration) error {
	shown := redact.URL(s.URL)
	var err error
	s.met = s.clock.Now()
	if s.client, err = kvapi.NewClient(s.URL, timeout); err != nil {
		return fault.New(fault.Usage, "--kv: %w", err)
	}
	if s.info, err = s.client.Info(ctx); err != nil {
		return s.mute(ctx, "cannot identify the key/value server", err)
	}
	if s.info.Instance == "" {
		return fault.New(fault.Usage, "%s is not a Plimsoll key/value server: it reports no instance",
			shown).
			Hint("start one with 'plimsoll serve kv'")
	}
	if s.offset, err = s.client.Offset(ctx, clockProbes, s.clock.Now, s.clock.ID()); err != nil {
		return s.mute(ctx, "cannot compare clocks with the key/value server", err)
	}
	there, err := s.client.Clock(ctx)
	if err != nil {
		return s.mute(ctx, "cannot compare clocks with the key/value server", err)
	}
	// Two machines that were copied from one may share the identity of the clock, and not the
	// clock: then messages say nothing of it, and the offset counts.
	if s.clockID = s.clock.ID(); there.ID == s.clockID && !s.offset.Shared {
		s.clockID = 0
	}
	return nil
}

// mute words that the server does not answer.
func (s *kvServer) mute(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Interrupted, "interrupted before the run started; nothing was measured")
	}
	e := fault.New(fault.RunFailed, "%s: %w", what, err)
	if status := (*kvapi.StatusError)(nil); errors.As(err, &status) {
		if status.Status == http.StatusServiceUnavailable {
			return e.Hint("try again when GET /health returns 200")
		}
		return e.Hint("check that 'plimsoll serve kv' listens at this URL")
	}
	return e.Hint("check the URL and that the server is running")
}

// asker asks about a run.
func (s *kvServer) asker(run uint64, o kvapi.RunOptions) func(context.Context) (*kvapi.Run, error) {
	return func(ctx context.Context) (*kvapi.Run, error) {
		found, err := s.client.Run(ctx, run, o)
		return &found, err
	}
}

// otherTopic says whether two URLs are certainly of two topics. Hosts may have several names, and
// what one of them leaves out may be what the other one says.
func otherTopic(a, b string) bool {
	one, err := url.Parse(a)
	if err != nil {
		return false
	}
	two, err := url.Parse(b)
	if err != nil || two.Scheme == "" {
		return false
	}
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	family := func(u *url.URL) string {
		if d, ok := topics.Drivers().Find(u.Scheme); ok {
			return d.Schemes[0]
		}
		return u.Scheme
	}
	host := func(u *url.URL) string {
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && a.IsLoopback() {
			return "localhost"
		}
		return u.Hostname()
	}
	return differ(family(one), family(two)) || differ(strings.Trim(one.Path, "/"), strings.Trim(two.Path, "/")) ||
		differ(one.Query().Get("stream"), two.Query().Get("stream")) && !strings.Contains(b, "stream=…") ||
		host(one) == host(two) && differ(one.Port(), two.Port())
}

// topicURL is where to publish for this server.
func (s *kvServer) topicURL(p *Plan) (string, error) {
	switch {
	case !p.EmbeddedBroker() && p.URL != "":
		return p.URL, nil
	case s.Broker != "":
		return s.Broker, nil
	}
	if s.info.OwnBroker {
		return "", fault.New(fault.Usage,
			"the key/value server has an embedded message service, whose token is not known").
			Hint("pass as the argument the URL that 'plimsoll serve kv' printed at startup")
	}
	if u, err := url.Parse(s.info.Topic); err == nil && u.Host != "" && !strings.Contains(s.info.Topic, "…") {
		return s.info.Topic, nil
	}
	return "", fault.New(fault.Usage, "the key/value server reports no usable topic (%q)", s.info.Topic).
		Hint("pass the URL of the topic as the argument")
}
