package rundoc

import (
	"cmp"
	"fmt"
	"slices"
)

// Totals sums up the operations: counts, rates and causes are added, and the times are
// merged through their histograms. Its name is "total" and it has no labels. Causes are
// sorted from the most to the least frequent. The error says which time's histogram cannot
// be read; the counts are right even then, and that time is empty.
func (r *Run) Totals() (Operation, error) {
	total := Operation{Name: "total"}
	causes := map[string]int64{}
	for i := range r.Operations {
		o := &r.Operations[i]
		total.Scheduled += o.Scheduled
		total.OK += o.OK
		total.Failed += o.Failed
		total.Unsent += o.Unsent
		total.Unfinished += o.Unfinished
		total.Attempts += o.Attempts
		total.Retries += o.Retries
		total.Bytes += o.Bytes
		total.Carried += o.Carried
		total.RatePerS += o.RatePerS
		total.BytesPerS += o.BytesPerS
		for _, c := range o.Causes {
			causes[c.Cause] += c.Count
		}
	}
	for cause, n := range causes {
		total.Causes = append(total.Causes, Cause{Cause: cause, Count: n})
	}
	slices.SortFunc(total.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
	})
	return total, r.mergeTimes(&total)
}

func (r *Run) mergeTimes(total *Operation) error {
	var firstErr error
	for _, t := range []struct {
		name string
		of   func(*Operation) *Summary
	}{
		{"response_time", func(o *Operation) *Summary { return &o.ResponseTime }},
		{"service_time", func(o *Operation) *Summary { return &o.ServiceTime }},
		{"send_delay", func(o *Operation) *Summary { return &o.SendDelay }},
		{"first_attempt", func(o *Operation) *Summary { return &o.FirstAttempt }},
	} {
		all := make([]Summary, len(r.Operations))
		for i := range r.Operations {
			all[i] = *t.of(&r.Operations[i])
		}
		merged, err := MergeSummaries(all...)
		if err != nil && firstErr == nil {
			firstErr = fmt.Errorf("operations: %s: %w", t.name, err)
		}
		*t.of(total) = merged
	}
	return firstErr
}
