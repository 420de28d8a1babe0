package sqs

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
const Scheme = "awssnssqs"

// What the services allow.
const (
	maxText       = 256 << 10       // bytes of a message of SNS
	maxPayload    = maxText / 4 * 3 // which base64 makes maxText of
	maxBatch      = 10              // messages of a request to SQS
	maxWait       = 20 * time.Second
	maxVisibility = 12 * time.Hour
	maxQueueName  = 80
)

const (
	defaultTopic      = "plimsoll-updates"
	defaultVisibility = 30 * time.Second
	defaultTimeout    = 30 * time.Second
)

// settings are what a URL says.
type settings struct {
	topic string // its name
	arn   string // "" when it was named without; the topic is then made or looked for

	region      string        // region=, else that of the ARN, else the SDK's
	profile     string        // profile=, of the files in ~/.aws
	endpoint    string        // endpoint=, URL of SNS, and of SQS unless that has its own
	sqsEndpoint string        // sqs_endpoint=
	queue       string        // queue=, name of the queue; else TOPIC-SERVER
	create      bool          // create=true|false: make what is missing
	visibility  time.Duration // visibility=, until an unacknowledged message is delivered again
	wait        time.Duration // wait=, of a long poll
}

// parse reads a URL. Its errors do not hold the URL, which may have secrets all the same.
func parse(u *url.URL) (settings, error) {
	s := settings{topic: defaultTopic, create: true, visibility: defaultVisibility, wait: maxWait}
	if u.Scheme != Scheme {
		return s, fmt.Errorf("the scheme %q is not supported here; use %s", u.Scheme, Scheme)
	}
	if u.User != nil {
		return s, errors.New("the URL contains a user: credentials come from the environment (AWS_ACCESS_KEY_ID, " +
			"AWS_PROFILE, ...)")
	}
	if err := s.setTopic(u.Host, strings.Trim(u.Path, "/")); err != nil {
		return s, err
	}
	if err := topic.Options(u, s.set); err != nil {
		return s, err
	}
	if s.sqsEndpoint == "" {
		s.sqsEndpoint = s.endpoint
	}
	return s, nil
}

// setTopic takes the topic's name, from the host, or its ARN, from the path.
func (s *settings) setTopic(host, path string) error {
	switch {
	case host != "" && path != "":
		return errors.New("the URL has a path: write awssnssqs://TOPIC or awssnssqs:///ARN")
	case strings.HasPrefix(path, "arn:"):
		parts := strings.Split(path, ":")
		if len(parts) != 6 || parts[2] != "sns" || parts[3] == "" || parts[4] == "" {
			return fmt.Errorf("%q is not a topic ARN, such as arn:aws:sns:eu-west-1:123456789012:updates", path)
		}
		s.arn, s.region, s.topic = path, parts[3], parts[5]
	case host != "":
		s.topic = host
	case path != "":
		s.topic = path
	}
	if strings.HasSuffix(s.topic, ".fifo") {
		return fmt.Errorf("%q is a FIFO topic, which is not supported: use a standard topic",
			s.topic)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`).MatchString(s.topic) {
		return fmt.Errorf("%q is not a valid topic name: use letters, digits, '-' and '_'", s.topic)
	}
	return nil
}

// set takes an option.
func (s *settings) set(name, value string) error {
	var err error
	switch name {
	case "region":
		if !regexp.MustCompile(`^[a-z0-9-]{1,40}$`).MatchString(value) {
			return fmt.Errorf("region=%q is not a valid region, such as eu-west-1", value)
		}
		if s.arn != "" && value != s.region {
			return fmt.Errorf("region=%q is not the topic's region, %s", value, s.region)
		}
		s.region = value
	case "profile":
		s.profile = value
	case "endpoint":
		s.endpoint, err = endpoint(name, value)
	case "sqs_endpoint":
		s.sqsEndpoint, err = endpoint(name, value)
	case "queue":
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`).MatchString(value) {
			return fmt.Errorf("queue=%q is not a valid queue name: use up to 80 letters, digits, '-' and '_'", value)
		}
		s.queue = value
	case "create":
		s.create, err = topic.Truth(name, value)
	case "visibility":
		s.visibility, err = seconds(name, value, maxVisibility)
	case "wait":
		s.wait, err = seconds(name, value, maxWait)
	default:
		return fmt.Errorf("%s:// has no option %q: the options are region, profile, endpoint, sqs_endpoint, queue, "+
			"create, visibility and wait", Scheme, name)
	}
	return err
}

// endpoint reads the URL of a service.
func endpoint(name, value string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s= is not an http or https URL", name)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s= can contain only a scheme, a host and a path", name)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// seconds reads a duration of whole seconds, which is what SQS takes.
func seconds(name, value string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > most || d%time.Second != 0 {
		return 0, fmt.Errorf("%s=%q is not a duration in whole seconds between 1s and %s", name, value, most)
	}
	return d, nil
}

// queueName is the name of a server's queue.
func (s *settings) queueName(server string) (string, error) {
	if s.queue != "" {
		return s.queue, nil
	}
	name := s.topic + "-" + server
	if len(name) > maxQueueName {
		return "", fmt.Errorf("the queue %s would have a name of %d characters; SQS allows %d: set a name with queue=",
			name, len(name), maxQueueName)
	}
	return name, nil
}
