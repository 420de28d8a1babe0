package nats

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
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
	tls   bool
	files topic.Certificates // ca=, cert=, key=
	creds string             // file with a JWT and its key; creds=

	// Of JetStream alone:
	stream   string        // stream=, default the subject with '-' for '.'
	memory   bool          // storage=memory|file, of a stream that is made
	replicas int           // replicas=, of a stream that is made
	maxBytes int64         // max_bytes=, of a stream that is made
	discard  bool          // discard=old: publish though that may push older messages out of a stream that was there
	ackWait  time.Duration // ack_wait=, until an unacknowledged message is delivered again
	blind    bool          // acks=0: what the stream says of a message that is published is not waited for
}

// parse reads a URL. Its errors do not hold the URL, which may have secrets.
func parse(u *url.URL) (settings, error) {
	s := settings{
		user: u.User, streams: u.Scheme == JetStream, subject: defaultSubject,
		replicas: 1, maxBytes: defaultMaxBytes, ackWait: defaultAckWait,
	}
	if u.Scheme != Core && u.Scheme != JetStream {
		return s, fmt.Errorf("the scheme %q is not supported here; use %s or %s", u.Scheme, Core, JetStream)
	}
	var err error
	if s.host, err = topic.HostPort(u, "4222"); err != nil {
		return s, err
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		s.subject = path
	}
	if err := checkSubject(s.subject); err != nil {
		return s, err
	}
	s.stream = strings.NewReplacer(".", "-").Replace(s.subject)
	if err := topic.Options(u, s.set); err != nil {
		return s, err
	}
	return s, s.files.Check()
}

// set takes an option.
func (s *settings) set(name, value string) error {
	var err error
	switch name {
	case "tls":
		s.tls, err = topic.Truth(name, value)
	case "ca", "cert", "key":
		s.files.Set(name, value)
	case "creds":
		s.creds = value
	default:
		if !s.streams {
			return fmt.Errorf("nats:// has no option %q: the options are tls, ca, cert, key and creds", name)
		}
		return s.setStream(name, value)
	}
	return err
}

// setStream takes an option of JetStream.
func (s *settings) setStream(name, value string) error {
	bad := func(want string) error { return fmt.Errorf("%s=%q is not %s", name, value, want) }
	var err error
	switch name {
	case "stream":
		if value == "" || strings.ContainsAny(value, " \t\r\n.*>/\\") {
			return bad("a stream name without spaces, dots, wildcards and slashes")
		}
		s.stream = value
	case "storage":
		if value != "memory" && value != "file" {
			return bad("memory or file")
		}
		s.memory = value == "memory"
	case "replicas":
		s.replicas, err = topic.Number(name, value, 5)
	case "max_bytes":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 {
			return bad("a positive number of bytes")
		}
		s.maxBytes = n
	case "discard":
		if value != "old" {
			return bad("old")
		}
		s.discard = true
	case "ack_wait":
		s.ackWait, err = topic.Period(name, value, time.Millisecond)
	case "acks":
		value, err = topic.OneOf(name, value, "all", "0")
		s.blind = value == "0"
	default:
		return fmt.Errorf("nats+js:// has no option %q: the options are tls, ca, cert, key, creds, stream, storage, "+
			"replicas, max_bytes, discard, ack_wait and acks", name)
	}
	return err
}

// checkSubject refuses what cannot be published to.
func checkSubject(subject string) error {
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || strings.ContainsAny(token, " \t\r\n\x00*>/") {
			return fmt.Errorf("%q is not a valid subject: use words separated by dots, without spaces, slashes, * and >",
				subject)
		}
	}
	if strings.HasPrefix(subject, "$") {
		return fmt.Errorf("the subject %q is reserved for the broker: use one that does not begin with $", subject)
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
