package exec

import (
	"cmp"
	"slices"
)

// Several processes that call in the same time are measured one by one: what is between an answer and the
// next request is of the process that has the one and sends the other. A process that makes one call has
// only what was before that: the end of the process before it, and its own start. That is known when they
// run one after the other, and else not.

// apartShare is the share of the processes that may have begun while another one still called, before the
// times between processes mean nothing.
const apartShare = 0.25

// beside reports whether a process was there when the last answer to another one was still to come.
func beside(before, e *Exchange) bool {
	return before.Process != e.Process && e.Answering-e.Age < before.Sent
}

// besideEachOther reports whether processes mostly ran beside each other.
func besideEachOther(exchanges []Exchange) bool {
	began, overlapped, at := 0, 0, 0
	seen := map[int]bool{}
	for i := range exchanges {
		e := &exchanges[i]
		if p := e.Process; p != 0 && !seen[p] {
			if seen[p] = true; i > 0 {
				began++
				if beside(&exchanges[at], e) {
					overlapped++
				}
			}
		}
		if e.Sent >= exchanges[at].Sent {
			at = i
		}
	}
	return float64(overlapped) > apartShare*float64(began)
}

// atOnce is the largest number of processes that were between their first request and their last answer at
// the same time; 0 where no process is known.
func atOnce(exchanges []Exchange) int {
	type moment struct {
		at int64
		by int
	}
	first, last := map[int]int64{}, map[int]int64{}
	for i := range exchanges {
		e := &exchanges[i]
		if _, known := first[e.Process]; !known {
			first[e.Process] = e.Received
		}
		last[e.Process] = max(last[e.Process], e.Sent)
	}
	var moments []moment
	for p := range first {
		if p != 0 {
			moments = append(moments, moment{first[p], 1}, moment{last[p], -1})
		}
	}
	slices.SortFunc(moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), b.by-a.by) })
	most, now := 0, 0
	for _, m := range moments {
		now += m.by
		most = max(most, now)
	}
	return most
}
