package content

// Stretch is where bytes are not what a file holds: from the first one to the last one. Some between them may be right
// by chance.
type Stretch struct{ First, Last int64 }

// apart is how many right bytes there are at least between two stretches: fewer are so by chance.
const apart = 32

// Differences counts the bytes of p that are not what the file holds at the offset, and gives the first stretches of
// them, at most so many. Compare is quicker where there are none.
func (c *File) Differences(p []byte, offset int64, most int) (wrong int64, where []Stretch) {
	var stamp [2 * StampBytes]byte
	last := int64(-apart - 1) // that was wrong
	for len(p) > 0 {
		stamped, plain := c.page(offset, stamp[:])
		for _, want := range [2][]byte{stamped, plain} {
			n := min(len(p), len(want))
			for i := range n {
				if p[i] == want[i] {
					continue
				}
				at := offset + int64(i)
				switch begins := wrong == 0 || at-last > apart; {
				case begins && len(where) < most:
					where = append(where, Stretch{at, at})
				case !begins && last == lastOf(where):
					where[len(where)-1].Last = at
				}
				wrong, last = wrong+1, at
			}
			p, offset = p[n:], offset+int64(n)
		}
	}
	return wrong, where
}

// lastOf is where the last stretch ends; -1 where there is none.
func lastOf(where []Stretch) int64 {
	if len(where) == 0 {
		return -1
	}
	return where[len(where)-1].Last
}
