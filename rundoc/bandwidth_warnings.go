package rundoc

import (
	"encoding/json"
	"math"
)

// bandwidth derives the warnings of a bandwidth run. Those on response times of all operations
// together have no meaning there: a create and a block are no sample of one thing.
func (w *warnings) bandwidth() {
	d := w.run.Bandwidth()
	if d == nil {
		return
	}
	if d.Checksum.Verdict == ChecksumMismatch {
		where := ""
		if d.Checksum.Mismatch != "" {
			where = " (" + d.Checksum.Mismatch + ")"
		}
		w.add(WarnChecksum, "What was read is not what was written%s: look at the file with --keep before it is written again.", where)
	}
	for _, t := range d.Transfers() {
		w.transfer(d, t)
	}
	w.standstill(d)
	if w.total.Unfinished > 0 {
		w.add(WarnUnfinished, "%s operations had not ended when the run did: they count with the time that they had lasted.",
			number(w.total.Unfinished))
	}
	if len(d.Left) > 0 && !w.run.keep() {
		w.add(WarnFilesLeft, "The run left files in the store that it could not delete: %s, the first is %s. Delete them by hand.",
			number(int64(len(d.Left))), d.Left[0])
	}
	w.fileLost("rows", d.CSV)
}

func (w *warnings) transfer(d *BandwidthDetail, t NamedTransfer) {
	switch {
	case t.Failed > 0 && t.Files == 0:
		w.add(WarnFilesFailed, "Not one %s was completed, of %s.", t.Name, number(t.Failed))
	case t.Failed > 0:
		w.add(WarnFilesFailed, "%s of %s %ss were not completed. The bandwidth counts the others alone, although these took part of the time.",
			number(t.Failed), number(t.Failed+t.Files), t.Name)
	}
	if t.Close.MaxNS > MaxCloseNS && t.Name == OperationUpload {
		w.add(WarnCloseSlow, "A close took %s: an application that must give signs of life meanwhile is taken for dead (many after %s). "+
			"Data is made faster than it is taken: let fewer parts wait (--active-blocks), so that the writes wait instead.",
			duration(t.Close.MaxNS), duration(MaxCloseNS))
	}
	if share := d.OwnShare(t.Transfer); share > MaxOwnTime && share <= MaxOwnTimeBelieved {
		w.add(WarnOwnTime, "The streams waited for the instrument in %s of their time in the %s: the bandwidth may be too low by so much. %s",
			percent(share), t.Name, ownAdvice(t.Name))
	}
}

// standstill tells of whole seconds in which not one byte moved, neither for the client nor
// on the network, between the first byte and the last. It is only told of stores whose
// requests are known, and when there were so many of them that it is not chance.
func (w *warnings) standstill(d *BandwidthDetail) {
	var requests int64
	for _, r := range d.Requests {
		requests += r.Attempts
	}
	moved := map[int64]bool{}
	first, last := int64(math.MaxInt64), int64(-1)
	for _, t := range d.Transfers() {
		for _, p := range t.Course {
			// A million seconds are 12 days; a document cannot make the loop below longer.
			if (p.Client > 0 || p.Network > 0) && p.Second >= 0 && p.Second < 1_000_000 {
				moved[p.Second], first, last = true, min(first, p.Second), max(last, p.Second)
			}
		}
	}
	if last < first || float64(requests)/float64(last-first+1) < MinDeadRate {
		return
	}
	var still, since int64
	for s := first; s <= last; s++ {
		if moved[s] {
			continue
		}
		if still++; still == 1 {
			since = s
		}
	}
	if still > 0 {
		w.add(WarnStandstill, "Not one byte moved in %d s of %d, the first of them %d s after the start.", still, last-first+1, since)
	}
}

// keep reports whether the plan leaves the files on purpose.
func (r *Run) keep() bool {
	var plan struct {
		Keep bool `json:"keep"`
	}
	// A plan that cannot be read keeps nothing.
	return json.Unmarshal(r.Plan, &plan) == nil && plan.Keep
}
