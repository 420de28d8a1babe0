package page

import (
	"bytes"
	"fmt"
	"strings"
)

// again is a part of a text that repeats an earlier one.
type again struct{ at, from, length int }

// Repetitions are texts between quotes of at least leastAgain bytes that are farther apart than the window of gzip. In
// the closed model the histograms of response times, service times and first attempts are equal and that long.
const (
	leastAgain = 1 << 10
	gzipSees   = 32 << 10
)

// withoutAgain returns a text without its repetitions, and the repetitions in their order.
func withoutAgain(text []byte) (rest []byte, all []again) {
	first := map[string]int{}
	kept, at := 0, 0
	for part := range bytes.SplitSeq(text, []byte{'"'}) {
		if len(part) >= leastAgain {
			if from, stood := first[string(part)]; !stood {
				first[string(part)] = at
			} else if at-from > gzipSees {
				rest = append(rest, text[kept:at]...)
				all = append(all, again{at, from, len(part)})
				kept = at + len(part)
			}
		}
		at += len(part) + 1
	}
	return append(rest, text[kept:]...), all
}

// stretches encodes repetitions for the script, three numbers for each.
func stretches(all []again) string {
	var b strings.Builder
	for i, a := range all {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d %d %d", a.at, a.from, a.length)
	}
	return b.String()
}
