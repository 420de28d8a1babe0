package nats

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The schemes.
const (
	Core      = "nats"
	JetStream = "nats+js"
)

const (
	defaultSubject  = "plimsoll.updates"
	defaultMaxBytes = 1 << 30
	defaultAckWait  = 30 * time.Second
)

// settings are what a URL says.
type settings struct {
	host    string // with a port
	user    *url.Userinfo
	subject string
	streams bool // JetStream

	// tls asks for TLS; a broker that requires it gets it in any case. tls=true|false
	tls           bool
	ca, cert, key string // files; ca=, cert=, key=
	creds         string // file with a JWT and its key; creds=

	// Of JetStream alone:
	stream   string        // stream=, default the subject with '-' for '.'
	memory   bool          // storage=memory|file, of a stream that is made
	replicas int           // replicas=, of a stream that is made
	maxBytes int64         // max_bytes=, of a stream that is made
	ackWait  time.Duration // ack_wait=, until an unacknowledged message is delivered again
}

// parse reads a URL. Its errors do not hold the URL, which may have secrets.
func parse(u *url.URL) (settings, error) {
	s := settings{
		user: u.User, streams: u.Scheme == JetStream, subject: defaultSubject,
		replicas: 1, maxBytes: defaultMaxBytes, ackWait: defaultAckWait,
	}
	if u.Scheme != Core && u.Scheme != JetStream {
		return s, fmt.Errorf("the scheme %q is not %s or %s", u.Scheme, Core, JetStream)
	}
	if u.Hostname() == "" {
		return s, errors.New("the URL has no host: write nats://HOST:PORT")
	}
	port := u.Port()
	if port == "" {
		port = "4222"
	}
	s.host = net.JoinHostPort(u.Hostname(), port)
	if path := strings.Trim(u.Path, "/"); path != "" {
		s.subject = path
	}
	if err := checkSubject(s.subject); err != nil {
		return s, err
	}
	s.stream = strings.NewReplacer(".", "-").Replace(s.subject)
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return s, errors.New("the part after '?' cannot be read: write NAME=VALUE&NAME=VALUE")
	}
	for name, values := range query {
		if err := s.set(name, values[len(values)-1]); err != nil {
			return s, err
		}
	}
	if (s.cert == "") != (s.key == "") {
		return s, errors.New("cert= and key= go together")
	}
	return s, nil
}

// set takes an option.
func (s *settings) set(name, value string) error {
	var err error
	switch name {
	case "tls":
		s.tls, err = strconv.ParseBool(value)
	case "ca":
		s.ca = value
	case "cert":
		s.cert = value
	case "key":
		s.key = value
	case "creds":
		s.creds = value
	default:
		if !s.streams {
			return fmt.Errorf("nats:// knows no option %q: it has tls, ca, cert, key and creds", name)
		}
		return s.setStream(name, value)
	}
	if err != nil {
		return fmt.Errorf("%s=%q is not true or false", name, value)
	}
	return nil
}

// setStream takes an option of JetStream.
func (s *settings) setStream(name, value string) error {
	bad := func(want string) error { return fmt.Errorf("%s=%q is not %s", name, value, want) }
	switch name {
	case "stream":
		if value == "" || strings.ContainsAny(value, " \t\r\n.*>/\\") {
			return bad("a stream's name, which has no spaces, dots, wildcards or slashes")
		}
		s.stream = value
	case "storage":
		if value != "memory" && value != "file" {
			return bad("memory or file")
		}
		s.memory = value == "memory"
	case "replicas":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 5 {
			return bad("a number from 1 to 5")
		}
		s.replicas = n
	case "max_bytes":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 {
			return bad("a number of bytes above 0")
		}
		s.maxBytes = n
	case "ack_wait":
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Millisecond {
			return bad("a duration of at least 1ms, such as 30s")
		}
		s.ackWait = d
	default:
		return fmt.Errorf("nats+js:// knows no option %q: it has tls, ca, cert, key, creds, stream, storage, replicas, max_bytes and ack_wait", name)
	}
	return nil
}

// checkSubject refuses what cannot be published to.
func checkSubject(subject string) error {
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || strings.ContainsAny(token, " \t\r\n\x00*>/") {
			return fmt.Errorf("%q is not a subject: it is words with dots between them, without spaces, slashes, * and >", subject)
		}
	}
	if strings.HasPrefix(subject, "$") {
		return fmt.Errorf("the subject %q is one of the broker's own: take one that does not begin with $", subject)
	}
	return nil
}

// transport is what it is called.
func (s *settings) transport() string {
	if s.streams {
		return "NATS JetStream"
	}
	return "NATS"
}
