package page

import (
	"bytes"
	"fmt"
	"strings"
)

// again is a stretch of a text that stood in it before.
type again struct{ at, from, length int }

// What is looked for: texts between quotes that are so long, and farther apart than gzip sees by itself. In the closed
// model the histograms of response times, service times and first attempts are the same ones, and too long for it.
const (
	leastAgain = 1 << 10
	gzipSees   = 32 << 10
)

// withoutAgain is a text without such stretches, and where they belong, in their order.
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

// stretches is how the script of the page is told: numbers, three for each stretch.
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
