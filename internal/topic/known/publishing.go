package known

import (
	"net/url"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Option is one of a topic's URL.
type Option struct{ Name, Value string }

// WithOptions is the URL of a topic with more options. Those that it has stay as they are.
func WithOptions(raw string, more []Option) string {
	for _, o := range more {
		mark := "?"
		if strings.Contains(raw, "?") {
			mark = "&"
		}
		raw += mark + o.Name + "=" + url.QueryEscape(o.Value)
	}
	return raw
}

// CheckPublishing refuses flags that stand for options of a topic's URL which are not of its transport, or which
// the URL has as well. What is wrong with the URL itself, others say.
func CheckPublishing(raw string, flags []Option) error {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	drivers := Drivers()
	if _, ok := drivers.Find(u.Scheme); !ok {
		return nil
	}
	has := drivers.Publishing(u.Scheme)
	for _, o := range flags {
		switch {
		case len(has) == 0:
			return fault.New(fault.Usage, "--%s: nothing of how %s:// publishes can be set", o.Name, u.Scheme).
				Hint("leave it out")
		case !slices.Contains(has, o.Name):
			return fault.New(fault.Usage, "--%s: that cannot be set of %s://", o.Name, u.Scheme).
				Hint("leave it out; what can be is --%s", strings.Join(has, ", --"))
		case u.Query().Has(o.Name):
			return fault.New(fault.Usage, "--%s is given, and the topic's URL has %s= as well", o.Name, o.Name).
				Hint("leave one of them out")
		}
	}
	return nil
}
