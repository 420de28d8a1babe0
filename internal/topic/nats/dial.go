package nats

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// dialer makes connections to the broker.
type dialer struct {
	settings settings
	timeout  time.Duration
	options  []nats.Option
}

// newDialer reads the files that the settings name.
func newDialer(s settings, timeout time.Duration) (*dialer, error) {
	d := &dialer{settings: s, timeout: timeout, options: []nats.Option{
		nats.Name("plimsoll"), nats.Timeout(timeout), nats.FlusherTimeout(timeout), nats.NoReconnect(),
		// A broker that is gone without a word is noticed within 15 to 20 seconds.
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(3),
	}}
	login, err := s.login()
	if err != nil {
		return nil, err
	}
	if login != nil {
		d.options = append(d.options, login)
	}
	secure, err := s.secure()
	if err != nil {
		return nil, err
	}
	d.options = append(d.options, secure)
	return d, nil
}

// login is how to authenticate; nil is not at all.
func (s *settings) login() (nats.Option, error) {
	switch creds, nkey := os.Getenv("NATS_CREDS"), os.Getenv("NATS_NKEY"); {
	case s.user != nil:
		return byName(s.user.Username(), s.user.Password), nil
	case s.creds != "":
		return nats.UserCredentials(s.creds), nil
	case creds != "":
		return nats.UserCredentials(creds), nil
	case nkey != "":
		option, err := nats.NkeyOptionFromSeed(nkey)
		if err != nil {
			return nil, errors.New("the file in NATS_NKEY contains no key")
		}
		return option, nil
	case os.Getenv("NATS_USER") != "":
		return byName(os.Getenv("NATS_USER"), func() (string, bool) { return os.LookupEnv("NATS_PASSWORD") }), nil
	}
	return nil, nil
}

// byName is user and password, or a token when there is no password.
func byName(user string, password func() (string, bool)) nats.Option {
	if p, ok := password(); ok {
		return nats.UserInfo(user, p)
	}
	return nats.Token(user)
}

// secure sets TLS up. It is used when the URL asks for it or the broker requires it.
func (s *settings) secure() (nats.Option, error) {
	host, _, err := net.SplitHostPort(s.host)
	if err != nil {
		return nil, err
	}
	pick := func(given, variable string) string {
		if given != "" {
			return given
		}
		return os.Getenv(variable)
	}
	files := topic.Certificates{CA: pick(s.files.CA, "NATS_CA"), Cert: pick(s.files.Cert, "NATS_CERT"),
		Key: pick(s.files.Key, "NATS_KEY")}
	if files.Key == "" {
		files.Cert = ""
	}
	c, err := files.Config(host)
	if err != nil {
		return nil, err
	}
	return func(o *nats.Options) error {
		o.TLSConfig, o.Secure = c, s.tls
		return nil
	}, nil
}

// connection is one connection to the broker, which is not repaired.
type connection struct {
	*nats.Conn
	lost chan struct{} // closed when the connection is
}

// dial connects. It returns when ctx is done, too.
func (d *dialer) dial(ctx context.Context) (*connection, error) {
	c := &connection{lost: make(chan struct{})}
	way := &cancellable{ctx: ctx, timeout: d.timeout}
	options := append(d.options[:len(d.options):len(d.options)], nats.SetCustomDialer(way),
		nats.ClosedHandler(func(*nats.Conn) { close(c.lost) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // without one, the library prints
	)
	nc, err := nats.Connect("nats://"+d.settings.host, options...)
	refused := way.release()
	if errors.Is(err, nats.ErrNoServers) && refused != nil {
		err = refused // which says more
	}
	if err != nil {
		return nil, explain(ctx, "connecting to "+d.settings.host, err)
	}
	c.Conn = nc
	return c, nil
}

// tell has those who want to know hear that this connection comes after one to a process with the identity before, if
// it does. It returns its own.
func (c *connection) tell(o *topic.SubscribeOptions, before string) string {
	now := c.ConnectedServerId()
	switch before {
	case "":
	case now:
		o.Report(topic.EventReconnected, "the connection to the broker was lost and restored")
	default:
		o.Report(topic.EventRestarted, "the broker is a different process: it was restarted, or is another member of its "+
			"cluster")
	}
	return now
}

// close closes the connection and waits until it is.
func (c *connection) close() {
	c.Close()
	<-c.lost
}

// gone words that the connection was lost, and what follows from that.
func (c *connection) gone(consequence string) error {
	cause, err := topic.CauseClosed, c.LastError()
	if err == nil {
		err = nats.ErrConnectionClosed
	} else if denied, _ := causeOf(err); denied == topic.CauseDenied {
		cause = denied
	}
	return topic.Fail(cause, false, "the connection to the broker was lost%s: %w", consequence, err)
}

// cancellable dials until its context is done, and then breaks the handshake off, too.
type cancellable struct {
	ctx     context.Context // stored context: the library's Dial has none
	timeout time.Duration
	mu      sync.Mutex
	stops   []func() bool
	err     error // why the last connection was not made
}

// Dial is what the library calls.
func (w *cancellable) Dial(network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: w.timeout}).DialContext(w.ctx, network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(w.ctx, func() { _ = conn.Close() })
	w.stops = append(w.stops, stop)
	return strict{guard(conn)}, nil
}

// strict is a connection that ends with the first write that fails. The library forgets what it
// could not write and goes on if none of it went out: a message of one publisher would be gone,
// and the PONG for its PING would come all the same.
type strict struct{ net.Conn }

func (c strict) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}

// release leaves the connection alone from now on. It returns why it was not made.
func (w *cancellable) release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, stop := range w.stops {
		stop()
	}
	return w.err
}
