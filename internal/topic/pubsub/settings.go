package pubsub

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Scheme is that of the URLs.
const Scheme = "gcppubsub"

const (
	defaultTopic    = "plimsoll-updates"
	defaultDeadline = 60 * time.Second
	defaultTimeout  = 30 * time.Second
	maxStreams      = 64
)

// settings are what a URL says.
type settings struct {
	project string
	topic   string

	endpoint string        // endpoint=HOST:PORT, such as that of a region
	create   bool          // create=true|false: make what is missing
	deadline time.Duration // ack_deadline=, until an unacknowledged message is delivered again
	streams  int           // streams=, of a subscription; 0 is one for each listener

	zip    bool          // compression=none|gzip
	linger time.Duration // linger=, for which a message may wait for others
}

// parse reads a URL.
func parse(u *url.URL) (settings, error) {
	s := settings{topic: defaultTopic, create: true, deadline: defaultDeadline}
	if u.Scheme != Scheme {
		return s, fmt.Errorf("the scheme %q is not supported here; use %s", u.Scheme, Scheme)
	}
	if u.User != nil {
		return s, errors.New("the URL contains a user: credentials are Google's application default credentials " +
			"(GOOGLE_APPLICATION_CREDENTIALS)")
	}
	path := strings.Trim(u.Path, "/")
	if parts := strings.Split(path, "/"); u.Host == "projects" && len(parts) == 3 && parts[1] == "topics" {
		s.project, s.topic = parts[0], parts[2]
	} else {
		s.project = u.Host
		if path != "" {
			s.topic = path
		}
	}
	if !regexp.MustCompile(`^[a-z0-9.:-]{1,63}$`).MatchString(s.project) {
		return s, fmt.Errorf("%q is not a valid project: write %s://PROJECT/TOPIC", s.project, Scheme)
	}
	if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.~+%-]{2,254}$`).MatchString(s.topic) ||
		strings.HasPrefix(s.topic, "goog") {
		return s, fmt.Errorf("%q is not a valid topic name: use a letter followed by 2 to 254 letters, digits, '-', '_', "+
			"'.', '~' and '+'", s.topic)
	}
	return s, topic.Options(u, s.set)
}

// set takes an option.
func (s *settings) set(name, value string) error {
	var err error
	switch name {
	case "endpoint":
		if value == "" || strings.ContainsAny(value, "/@ ") {
			return fmt.Errorf("endpoint=%q is not HOST:PORT, such as europe-west1-pubsub.googleapis.com:443", value)
		}
		s.endpoint = value
	case "create":
		s.create, err = topic.Truth(name, value)
	case "ack_deadline":
		// Google takes 10 s or more; servers for tests less.
		s.deadline, err = time.ParseDuration(value)
		if err != nil || s.deadline < time.Second || s.deadline > 10*time.Minute || s.deadline%time.Second != 0 {
			return fmt.Errorf("ack_deadline=%q is not a duration in whole seconds up to 10m, such as 60s", value)
		}
	case "streams":
		s.streams, err = topic.Number(name, value, maxStreams)
	case "compression":
		value, err = topic.OneOf(name, value, "none", "gzip")
		s.zip = value == "gzip"
	case "linger":
		s.linger, err = topic.Linger(name, value)
	default:
		return fmt.Errorf("%s:// has no option %q: the options are endpoint, create, ack_deadline, streams, compression "+
			"and linger",
			Scheme, name)
	}
	return err
}

// topicName is the topic's full name.
func (s *settings) topicName() string { return "projects/" + s.project + "/topics/" + s.topic }

// subscriptionName is the full name of a server's subscription.
func (s *settings) subscriptionName(server string) (string, error) {
	name := s.topic + "-" + server
	if len(name) > 255 {
		return "", fmt.Errorf("the subscription %s would have a name of %d characters; Pub/Sub allows 255",
			name, len(name))
	}
	return "projects/" + s.project + "/subscriptions/" + name, nil
}
