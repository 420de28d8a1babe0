package kafka

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Scheme is that of the URLs.
const Scheme = "kafka"

const (
	defaultTopic      = "plimsoll.updates"
	defaultPartitions = 4
	defaultAckWait    = 30 * time.Second
	// defaultSession is how long the partitions of a server that was killed wait for it. Kafka's
	// own default of 45 s would be the time for which its successor receives nothing.
	defaultSession = 10 * time.Second
	defaultTimeout = 30 * time.Second
)

// settings are what a URL says.
type settings struct {
	brokers  []string // each with a port
	topic    string
	user     string
	password string

	sasl       string             // sasl=plain|scram-sha-256|scram-sha-512
	tls        bool               // tls=true|false
	files      topic.Certificates // ca=, cert=, key=
	create     bool               // create=true|false: make a topic that is missing
	partitions int                // partitions=, of a topic that is made
	replicas   int                // replicas=, of a topic that is made; −1 is the broker's default
	ackWait    time.Duration      // ack_wait=, until an unacknowledged message is handed out again
	session    time.Duration      // session=, until the group gives up a member without a sign of life

	acks        string        // acks=all|1|0
	compression string        // compression=none|gzip|snappy|lz4|zstd
	linger      time.Duration // linger=, for which a message may wait for others
}

// parse reads a URL. Its errors do not hold the URL, which may have secrets.
func parse(u *url.URL) (settings, error) {
	s := settings{
		topic: defaultTopic, create: true, partitions: defaultPartitions, replicas: -1,
		ackWait: defaultAckWait, session: defaultSession, acks: "all", compression: "none",
	}
	if u.Scheme != Scheme {
		return s, fmt.Errorf("the scheme %q is not supported here; use %s", u.Scheme, Scheme)
	}
	if u.Host == "" {
		return s, errors.New("the URL has no host: write kafka://HOST:PORT/TOPIC")
	}
	for broker := range strings.SplitSeq(u.Host, ",") {
		host, port, err := net.SplitHostPort(broker)
		if err != nil {
			host, port = strings.Trim(broker, "[]"), "9092"
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || strings.ContainsAny(host, "[]/@ ") {
			return s, fmt.Errorf("%q is not a broker address, such as host:9092", broker)
		}
		s.brokers = append(s.brokers, net.JoinHostPort(host, port))
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		s.topic = path
	}
	if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`).MatchString(s.topic) || s.topic == "." || s.topic == ".." {
		return s, fmt.Errorf("%q is not a valid topic name: use letters, digits, '.', '_' and '-'", s.topic)
	}
	if err := topic.Options(u, s.set); err != nil {
		return s, err
	}
	return s, s.login(u.User)
}

// login finds the user and the password.
func (s *settings) login(given *url.Userinfo) error {
	if err := s.files.Check(); err != nil {
		return err
	}
	if s.sasl == "" {
		if given != nil {
			return errors.New("the URL contains a user but no sasl=: set it to plain, scram-sha-256 or scram-sha-512")
		}
		return nil
	}
	s.user, s.password = os.Getenv("KAFKA_USERNAME"), os.Getenv("KAFKA_PASSWORD")
	if given != nil {
		s.user = given.Username()
		s.password, _ = given.Password()
	}
	if s.user == "" || s.password == "" {
		return fmt.Errorf("sasl=%s requires a user and a password, in the URL or in KAFKA_USERNAME and KAFKA_PASSWORD",
			s.sasl)
	}
	return nil
}

// set takes an option.
func (s *settings) set(name, value string) error {
	var err error
	switch name {
	case "sasl":
		if value != "plain" && value != "scram-sha-256" && value != "scram-sha-512" {
			return fmt.Errorf("sasl=%q is not plain, scram-sha-256 or scram-sha-512", value)
		}
		s.sasl = value
	case "tls":
		s.tls, err = topic.Truth(name, value)
	case "create":
		s.create, err = topic.Truth(name, value)
	case "ca", "cert", "key":
		s.files.Set(name, value)
		s.tls = true
	case "partitions":
		s.partitions, err = topic.Number(name, value, 10_000)
	case "replicas":
		s.replicas, err = topic.Number(name, value, 100)
	case "ack_wait":
		s.ackWait, err = period(name, value, time.Millisecond)
	case "session":
		s.session, err = period(name, value, 100*time.Millisecond)
	case "acks":
		s.acks, err = topic.OneOf(name, value, "all", "1", "0")
	case "compression":
		s.compression, err = topic.OneOf(name, value, "none", "gzip", "snappy", "lz4", "zstd")
	case "linger":
		s.linger, err = topic.Linger(name, value)
	default:
		return fmt.Errorf("%s:// has no option %q: the options are sasl, tls, ca, cert, key, create, partitions, "+
			"replicas, ack_wait, session, acks, compression and linger", Scheme, name)
	}
	return err
}

func period(name, value string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > 24*time.Hour {
		return 0, fmt.Errorf("%s=%q is not a duration between %s and 24h, such as 30s", name, value, least)
	}
	return d, nil
}
