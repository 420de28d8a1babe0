package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"time"
)

// options are the flags.
type options struct {
	binary         string
	trials, others int
	window         time.Duration
	only           *regexp.Regexp
	seed           uint64
	out            string
	until          time.Time // no trial begins after it; zero for no limit
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

// results is what -out gets: enough to compute each figure again.
type results struct {
	Seed       uint64
	WindowNS   int64
	Started    time.Time
	Kernel     string
	CPUs       int
	Trials     []trial  `json:",omitempty"`
	LeftOut    []string `json:",omitempty"`
	Incomplete string   `json:",omitempty"` // why not all trials were made
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
