package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// The schemes.
const (
	Plain = "redis"
	TLS   = "rediss"
)

const (
	defaultStream  = "plimsoll.updates"
	defaultAckWait = 30 * time.Second
)

// settings are what a URL says.
type settings struct {
	host           string // with a port
	user, password string
	database       int
	secure         bool

	stream  string             // stream=, the key
	ackWait time.Duration      // ack_wait=, until an unacknowledged message is delivered again
	trim    bool               // trim=acked|none
	files   topic.Certificates // ca=, cert=, key=
}

// parse reads a URL. Its errors do not hold the URL, which may have secrets.
func parse(u *url.URL) (settings, error) {
	s := settings{secure: u.Scheme == TLS, stream: defaultStream, ackWait: defaultAckWait, trim: true}
	if u.Scheme != Plain && u.Scheme != TLS {
		return s, fmt.Errorf("the scheme %q is not supported here; use %s or %s", u.Scheme, Plain, TLS)
	}
	var err error
	if s.host, err = topic.HostPort(u, "6379"); err != nil {
		return s, err
	}
	s.user = u.User.Username()
	var given bool
	if s.password, given = u.User.Password(); !given {
		s.password = os.Getenv("REDISCLI_AUTH")
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		n, err := strconv.Atoi(path)
		if err != nil || n < 0 {
			return s, fmt.Errorf("%q is not a database number: set the stream with ?stream=", path)
		}
		s.database = n
	}
	if err := topic.Options(u, s.set); err != nil {
		return s, err
	}
	if err := s.files.Check(); err != nil {
		return s, err
	}
	if !s.secure && s.files != (topic.Certificates{}) {
		return s, errors.New("ca=, cert= and key= require TLS: write rediss://")
	}
	return s, nil
}

// set takes an option.
func (s *settings) set(name, value string) error {
	bad := func(want string) error { return fmt.Errorf("%s=%q is not %s", name, value, want) }
	var err error
	switch name {
	case "stream":
		if value == "" {
			return bad("a key")
		}
		s.stream = value
	case "ack_wait":
		s.ackWait, err = topic.Period(name, value, 10*time.Millisecond)
	case "trim":
		if value != "acked" && value != "none" {
			return bad("acked or none")
		}
		s.trim = value == "acked"
	case "ca", "cert", "key":
		s.files.Set(name, value)
	default:
		return fmt.Errorf("%s:// has no option %q: the options are stream, ack_wait and trim, and with TLS ca, cert and key",
			Plain, name)
	}
	return err
}

// connecting is what is being done when there is no connection yet.
func (s *settings) connecting() string {
	if s.secure {
		return "connecting to " + s.host + " with TLS" // a server without it does not answer at all
	}
	return "connecting to " + s.host
}

// manyConnections is what the library is told about the number of connections, which is bounded by
// those who use it. When so many attempts to connect have failed, the library makes no other for up
// to a second, and has a goroutine that tries for as long after the client was closed.
const manyConnections = 4096

// options are those of a client.
func (s *settings) options(timeout time.Duration) (*redis.Options, error) {
	o := &redis.Options{
		Addr: s.host, Username: s.user, Password: s.password, DB: s.database, ClientName: "plimsoll",
		MaxRetries: -1, DialerRetries: 1, DialTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout,
		ContextTimeoutEnabled: true, PoolSize: manyConnections, PoolTimeout: timeout, ConnMaxIdleTime: -1,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	o.Dialer = dialer(o)
	if !s.secure {
		return o, nil
	}
	host, _, err := net.SplitHostPort(s.host)
	if err != nil {
		return nil, err
	}
	o.TLSConfig, err = s.files.Config(host)
	return o, err
}
