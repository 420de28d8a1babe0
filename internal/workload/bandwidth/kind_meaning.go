package bandwidth

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/store"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
)

// checkMeaning refuses flags that would be ignored, so that nobody takes a figure for that of
// another server or another setting.
func (c *Command) checkMeaning(given func(flag string) bool) error {
	if c.Plan.URL == "" {
		for _, flag := range []string{"endpoint", "region", "path-style", "ca", "insecure"} {
			if given(flag) {
				return fault.New(fault.Usage, "--%s is about the server of a URL, and none is given: the "+
					"demo server would be measured", flag).
					Hint("add a URL such as s3://BUCKET/KEY, or leave --%s out", flag)
			}
		}
		return nil
	}
	scheme, _, _ := strings.Cut(c.Plan.URL, ":")
	d, ok := stores.Drivers().Find(scheme)
	if !ok {
		return nil // whose error is another's to tell
	}
	for _, s := range store.Settings() {
		if given(string(s)) && !slices.Contains(d.Knows, s) {
			return fault.New(fault.Usage, "--%s means nothing to a %s: store", s, d.Name).
				Hint("leave it out; it is for %s", strings.Join(stores.Drivers().Knowing(s), ", "))
		}
	}
	return nil
}
