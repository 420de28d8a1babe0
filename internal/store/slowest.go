package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"
)

// Slow is an attempt that took long.
type Slow struct {
	Of     string        // what of the file, such as part 7; "" where nobody said
	From   time.Duration // since Start
	Took   time.Duration
	Failed bool
}

// mostSlow is how many of the longest attempts of a name are kept.
const mostSlow = 10

// piece is what of a file a request is about.
type piece struct {
	kind string
	at   int64
}

type pieceKey struct{}

// AboutPart returns a context whose requests are about a part of a file, by its number.
func AboutPart(ctx context.Context, number int) context.Context {
	return context.WithValue(ctx, pieceKey{}, piece{"part ", int64(number)})
}

// AboutRange returns a context whose requests are about the range that begins at this offset.
func AboutRange(ctx context.Context, offset int64) context.Context {
	return context.WithValue(ctx, pieceKey{}, piece{"range at ", offset})
}

// about is what the requests of a context are about.
func about(ctx context.Context) string {
	p, ok := ctx.Value(pieceKey{}).(piece)
	if !ok {
		return ""
	}
	return p.kind + strconv.FormatInt(p.at, 10)
}

// Longest are the longest attempts of a name.
type Longest []Slow

// add counts an attempt. What it is about is only put into words for one that is kept.
func (l *Longest) add(ctx context.Context, s Slow) {
	if len(*l) < mostSlow {
		s.Of = about(ctx)
		*l = append(*l, s)
		return
	}
	least := 0
	for i := range *l {
		if (*l)[i].Took < (*l)[least].Took {
			least = i
		}
	}
	if s.Took > (*l)[least].Took {
		s.Of = about(ctx)
		(*l)[least] = s
	}
}

// sorted is a copy that does not change, the longest first.
func (l Longest) sorted() Longest {
	list := slices.Clone(l)
	slices.SortFunc(list, func(a, b Slow) int { return cmp.Compare(b.Took, a.Took) })
	return list
}

// Median is the length of the attempt in the middle of those that were answered, and how many these were.
func (f *Figures) Median() (time.Duration, int64) {
	h := f.Times[StageWhole].Histogram
	if h == nil {
		return 0, 0
	}
	return time.Duration(h.ValueAtQuantile(50)), h.TotalCount()
}
