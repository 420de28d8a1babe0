package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"time"
)

// options are the flags.
type options struct {
	binary, before string
	trials, others int
	window         time.Duration
	only           *regexp.Regexp
	seed           uint64
	out            string
	resume         string
	until          time.Time       // no trial begins after it; zero for no limit
	given          map[string]bool // the flags that are there
}

// binary is a plimsoll.
type binary struct{ name, path string }

// binaries are those that take turns, by the name that the tables give them.
func (o *options) binaries() []binary {
	if o.before == "" {
		return []binary{{"now", o.binary}}
	}
	return []binary{{"before", o.before}, {"now", o.binary}}
}

// errTime ends a bench whose time is over. What is missing can be made later.
var errTime = errors.New("the time is over")

// due is an error when no further trial may begin.
func (o *options) due(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !o.until.IsZero() && time.Now().After(o.until) {
		return errTime
	}
	return nil
}

// results is what -out gets: enough to compute each figure again, and to go on where a bench ended.
type results struct {
	Seed       uint64
	WindowNS   int64
	Started    time.Time
	Kernel     string
	CPUs       int
	Binaries   map[string]string // the SHA-256 of each
	Trials     []trial           `json:",omitempty"`
	Pacing     []pacingTrial     `json:",omitempty"`
	LeftOut    []string          `json:",omitempty"`
	Incomplete string            `json:",omitempty"` // why not all trials were made
}

// resume takes what an earlier bench made. Its trials and those to come go into one table: they must
// be of the same programs and windows. Those that failed are made again.
func (r *results) resume(path string, window bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var old results
	if err := json.Unmarshal(text, &old); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !window {
		r.WindowNS = old.WindowNS
	}
	switch {
	case r.WindowNS != old.WindowNS:
		return fmt.Errorf("%s has windows of %s", path, time.Duration(old.WindowNS))
	case !maps.Equal(r.Binaries, old.Binaries):
		return fmt.Errorf("%s is of other binaries", path)
	}
	r.Seed, r.Started, r.Pacing = old.Seed, old.Started, old.Pacing
	r.Trials = slices.DeleteFunc(old.Trials, func(t trial) bool { return t.Validity == failed })
	return nil
}

// has reports whether there is an element such as this.
func has[T any](all []T, such func(*T) bool) bool {
	for i := range all {
		if such(&all[i]) {
			return true
		}
	}
	return false
}

// sums are the SHA-256 of the binaries.
func (o *options) sums() (map[string]string, error) {
	sums := map[string]string{}
	for _, b := range o.binaries() {
		file, err := os.Open(b.path)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, file)
		file.Close()
		if err != nil {
			return nil, err
		}
		sums[b.name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return sums, nil
}

// save writes the results, so that one that is there is whole whatever happens.
func save(path string, r *results) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
