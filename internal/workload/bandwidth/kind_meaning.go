package bandwidth

import (
	"context"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/store"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
)

// checkMeaning refuses flags that would be ignored, so that nobody takes a figure for that of
// another server or another setting.
func (c *Command) checkMeaning(given func(flag string) bool) error {
	if c.Plan.URL == "" {
		for _, flag := range []string{"endpoint", "region", "path-style", "ca", "insecure"} {
			if given(flag) {
				return fault.New(fault.Usage, "--%s needs a URL; without one, the demo server is measured", flag).
					Hint("add a URL such as s3://BUCKET/KEY, or remove --%s", flag)
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
				Hint("remove it; it is for %s", strings.Join(stores.Drivers().Knowing(s), ", "))
		}
	}
	return nil
}

// Found is where the URL of a plan points to, for commands that look after what runs left behind.
type Found struct {
	Store     store.Store
	Path      string // of the file; of a directory, the beginning of the names that runs make in it
	Directory bool

	place *place
}

// Find opens the store of a plan's URL. given reports whether the flag of that name was set by the user.
func Find(ctx context.Context, p *Plan, given func(flag string) bool) (*Found, error) {
	r := &oneRun{c: &Command{Plan: *p}}
	if err := p.checkTrust(); err != nil {
		return nil, err
	}
	if err := r.c.checkMeaning(given); err != nil {
		return nil, err
	}
	at, err := openPlace(ctx, r, &run.Target{URL: p.URL})
	if err != nil {
		return nil, err
	}
	return &Found{at.store, at.path, at.own, at}, nil
}

// Shown is the URL of a path, for people.
func (f *Found) Shown(path string) string { return f.place.shown(path) }

// Wrong words an error of the store.
func (f *Found) Wrong(err error) error { return f.place.wrong(err) }

// StoreSettings declares what says where a store is, and how it is spoken to.
func (p *Plan) StoreSettings() []*setting.Setting {
	return append(p.storeSettings(), p.hadoopSettings()...)
}
