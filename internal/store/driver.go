package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Setting is one that not every store knows, by the name of its flag.
type Setting string

// The settings that not every store knows.
const (
	SettingEndpoint       Setting = "endpoint"
	SettingRegion         Setting = "region"
	SettingPathStyle      Setting = "path-style"
	SettingPayloadSigning Setting = "payload-signing"
	SettingPartSize       Setting = "part-size"
	SettingRetries        Setting = "max-retries"
	SettingTimeout        Setting = "timeout"
	SettingSilence        Setting = "max-silence"
	SettingCA             Setting = "ca"
	SettingInsecure       Setting = "insecure"
)

// Settings are those that not every store knows, in the order in which they are checked.
func Settings() []Setting {
	return []Setting{
		SettingEndpoint, SettingRegion, SettingPathStyle, SettingPayloadSigning, SettingPartSize, SettingRetries,
		SettingTimeout, SettingSilence, SettingCA, SettingInsecure,
	}
}

// Driver is all that others know of a store before it is opened. Each store makes its own, and
// what is said of stores to people is made of them.
type Driver struct {
	Name    string   // in messages
	Schemes []string // of its URLs, those that people are told
	Aliases []string // schemes that it takes as well
	Forms   string   // of its URLs, for the help
	About   string   // what it is, for the help
	Knows   []Setting

	Naming Naming // how its URLs name files

	// Local says that paths are those of this machine: they may be relative, and one that is a
	// directory is known for it.
	Local bool
	// UserIsContainer says that what stands where others have a user names the container, and is
	// no secret.
	UserIsContainer bool

	Open func(context.Context, Config) (Store, error)
}

// takes reports whether URLs of this scheme are the driver's.
func (d *Driver) takes(scheme string) bool {
	return slices.Contains(d.Schemes, scheme) || slices.Contains(d.Aliases, scheme)
}

// Drivers are those of several stores, in the order in which people are told of them.
type Drivers []Driver

// Find gives the driver of URLs of this scheme.
func (all Drivers) Find(scheme string) (Driver, bool) {
	for _, d := range all {
		if d.takes(scheme) {
			return d, true
		}
	}
	return Driver{}, false
}

// Schemes are those that people are told.
func (all Drivers) Schemes() []string {
	var schemes []string
	for _, d := range all {
		schemes = append(schemes, d.Schemes...)
	}
	return schemes
}

// Knowing are the names of those that know a setting, before the others those that know most.
func (all Drivers) Knowing(s Setting) []string {
	var names []string
	byKnown := slices.Clone(all)
	slices.SortStableFunc(byKnown, func(a, b Driver) int { return len(b.Knows) - len(a.Knows) })
	for _, d := range byKnown {
		if slices.Contains(d.Knows, s) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Help is a line for each.
func (all Drivers) Help() string {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "  %-26s  %s\n", d.Forms, d.About)
	}
	return b.String()
}
