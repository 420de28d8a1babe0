package main

import "time"

// trial is one run and what it said of itself.
type trial struct {
	Condition       string
	Class           class
	Kind            kind `json:",omitempty"`
	Round           int
	Seed            uint64
	Rate, Clients   int // Rate is 0 in the closed model
	Loopback, Faint bool
	Took            time.Duration // all of it, with what it takes to set up and to take down
	OthersCPUs      float64       // that other programs used meanwhile, and the kernel for itself
	Validity        string        // of the verdict, or failed
	Error           string        `json:",omitempty"` // of a trial that failed
	Reasons         []string
	RatePerS        float64
	Raw, Free       times // response times
	Unsent          int64
	Bite            bite
	Generator       any // as the document has it
}

// failed is the validity of a trial that has none: there is no document.
const failed = "error"

// bite is what the tool knows of a harm by its own means.
type bite struct {
	ThrottledNS int64   // by the control group, from the start of the program to its end
	GCPercent   float64 // of the CPU, by the runtime's trace, since the start of the program
}

// newTrial is a trial that has not been made.
func newTrial(c condition, round int, seed uint64, drawn load) *trial {
	t := &trial{
		Condition: c.name, Class: c.class, Kind: c.kind, Round: round, Seed: seed,
		Clients: drawn.Clients, Loopback: c.loopback, Faint: c.faint,
	}
	switch {
	case c.kind == updates:
		t.Rate, t.Clients = updatesRate, 2
	case c.kind == bandwidth || c.kind == overhead:
		t.Clients = 1
	case c.rate > 0:
		t.Rate, t.Clients = c.rate, 32 // as many as there are without --clients
	case c.open:
		t.Rate = drawn.Rate
	}
	return t
}

// detected reports whether the verdict is not valid and names the generator.
func (t *trial) detected() bool { return names(t.Reasons, generator) }

func (t *trial) fill(d *document) {
	t.Validity, t.Reasons = d.Verdict.Validity, d.Verdict.Reasons
	t.RatePerS, t.Unsent = d.Totals.RatePerS, d.Totals.Unsent
	t.Raw = d.Totals.ResponseTime
	t.Raw.Free = nil
	if free := d.Totals.ResponseTime.Free; free != nil {
		t.Free = *free
	}
	t.Generator = d.Generator
}
