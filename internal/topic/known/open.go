package known

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// Redact is redact.URL for the URL of a topic, with what says which topic it is and how it
// is kept.
func Redact(raw string) string {
	d, _ := Drivers().Find(schemeOf(raw))
	return redact.URLBut(raw, d.Public)
}

func schemeOf(raw string) string {
	scheme, _, _ := strings.Cut(raw, "://")
	return scheme
}

// Open opens the topic that a URL names. Each request to its broker, but a receive that
// waits, is given up after timeout.
func Open(ctx context.Context, raw string, timeout time.Duration) (topic.Topic, error) {
	shown := redact.URL(raw)
	u, err := url.Parse(raw)
	if err != nil { // the parser's words have all of it, with its secrets
		return nil, fault.New(fault.Usage, "%q is not a valid URL", shown).Hint("use a URL such as nats://host:4222/subject")
	}
	drivers := Drivers()
	if d, ok := drivers.Find(u.Scheme); ok {
		opened, err := d.Open(ctx, topic.Config{URL: u, Timeout: timeout})
		if err != nil {
			return nil, Fault(shown, err)
		}
		return opened, nil
	}
	schemes := drivers.Schemes()
	last := len(schemes) - 1
	known := strings.Join(schemes[:last], "://, ") + ":// or " + schemes[last] + "://"
	if u.Scheme == "" || u.Opaque != "" { // host:port reads as a scheme, too
		return nil, fault.New(fault.Usage, "%q is not a topic URL: it has no scheme", shown).
			Hint("use a URL that begins with %s", known)
	}
	meant := ""
	if near := fault.Nearest(u.Scheme, schemes); near != "" {
		meant = "did you mean " + near + "://? "
	}
	return nil, fault.New(fault.Usage, "%s:// is not a supported message service", u.Scheme).
		Hint("%suse a URL that begins with %s", meant, known)
}

// Fault words an error of a transport for people.
func Fault(shown string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	switch cause := topic.CauseOf(err); cause {
	case topic.CauseUsage, topic.CauseUnsupported, topic.CauseTooLarge:
		return fault.New(fault.Usage, "%s: %w", shown, err)
	case topic.CauseRefused:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).
			Hint("start the broker, or correct the address")
	case topic.CauseUnreachable, topic.CauseTimeout:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).
			Hint("check the address and any firewall")
	case topic.CauseDenied:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).
			Hint("check the credentials in the URL or the environment")
	}
	return fault.New(fault.RunFailed, "%s: %w", shown, err)
}
