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
			return fault.New(fault.Usage, "--%s: %s:// has no publish options", o.Name, u.Scheme).
				Hint("remove it")
		case !slices.Contains(has, o.Name):
			return fault.New(fault.Usage, "--%s is not supported for %s://", o.Name, u.Scheme).
				Hint("remove it; %s:// supports only --%s", u.Scheme, strings.Join(has, ", --"))
		case u.Query().Has(o.Name):
			return fault.New(fault.Usage, "--%s is set, and the topic's URL also contains %s=", o.Name, o.Name).
				Hint("remove one of them")
		}
	}
	return nil
}
