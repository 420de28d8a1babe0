package topic

import (
	"context"
	"slices"
)

// Driver is all that others know of a transport before a topic is opened. Each transport makes
// its own, and what is said of transports to people is made of them.
type Driver struct {
	Schemes []string // of its URLs
	// Public are the options of its URLs that say which topic it is and how it is kept, and are
	// never secret.
	Public []string
	// Publishing are those of a scheme that say how a message is published, and change nothing for who receives it;
	// nil where there are none.
	Publishing func(scheme string) []string
	Open       func(context.Context, Config) (Topic, error)
}

// Drivers are those of several transports, in the order in which people are told of them.
type Drivers []Driver

// Find gives the driver of URLs of this scheme.
func (all Drivers) Find(scheme string) (Driver, bool) {
	for _, d := range all {
		if slices.Contains(d.Schemes, scheme) {
			return d, true
		}
	}
	return Driver{}, false
}

// Publishing are the options of URLs of this scheme that say how a message is published.
func (all Drivers) Publishing(scheme string) []string {
	if d, ok := all.Find(scheme); ok && d.Publishing != nil {
		return d.Publishing(scheme)
	}
	return nil
}

// Schemes are those of all URLs.
func (all Drivers) Schemes() []string {
	var schemes []string
	for _, d := range all {
		schemes = append(schemes, d.Schemes...)
	}
	return schemes
}

// URLs are the beginnings of all URLs.
func (all Drivers) URLs() []string {
	urls := all.Schemes()
	for i := range urls {
		urls[i] += "://"
	}
	return urls
}
