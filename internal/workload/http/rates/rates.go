package rates

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/throughput"
)

// Which bodies have a rate.
const (
	OfLong = "long" // those of Long or more
	All    = "all"
	None   = "none"
)

// Long is from what size on a body is long.
const Long = 64 << 10

// Rates gather how fast bodies moved. Measuring one takes some microseconds: what is shorter than the least is left
// out.
type Rates struct {
	// Least is the size of the shortest that is measured.
	Least int64
	// Measure wraps connections; nil: nothing is measured.
	Measure *throughput.Transport

	mu   sync.Mutex
	rows map[string]*bodyRows // by the request's name
}

// mostRows is how many requests have rates of their own; those of the others are in the rates of all.
const mostRows = 50

// fastest is the highest rate that is told from others, in kB/s.
const fastest = 1e10

type bodyRows struct{ up, down *bodyRow }

// bodyRow are the rates of one request's bodies in one direction.
type bodyRow struct {
	bodies    int64
	qualities map[string]int64
	limits    map[string]int64
	rated     int64
	bytes     int64
	took      time.Duration
	perSecond *hdrhistogram.Histogram // in kB/s
	min, max  float64
}

// New says which bodies are measured.
func New(which string) *Rates {
	r := &Rates{Least: Long, rows: map[string]*bodyRows{}}
	switch which {
	case None:
		r.Least = math.MaxInt64
		return r
	case All:
		r.Least = 1
	}
	r.Measure = &throughput.Transport{Observer: r}
	return r
}

// Observe takes what is known of a request that was measured. Its label is the request's name.
func (r *Rates) Observe(_ context.Context, t *throughput.Timeline) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := t.Host
	if r.rows[name] == nil && len(r.rows) >= mostRows {
		name = ""
	}
	rows := r.rows[name]
	if rows == nil {
		rows = &bodyRows{}
		r.rows[name] = rows
	}
	if t.ContentLength >= r.Least {
		perSecond, _ := t.WriteThroughputDelivered()
		rows.up = rows.up.add(t.RequestBytes, perSecond, t.WriteQuality(), t.WriteLimit())
	}
	if t.ResponseBytes >= r.Least {
		perSecond, _ := t.ReadThroughput()
		rows.down = rows.down.add(t.ResponseBytes, perSecond, t.ReadQuality(), t.ReadLimit())
	}
}

func newBodyRow() *bodyRow {
	return &bodyRow{qualities: map[string]int64{}, limits: map[string]int64{}, perSecond: hdrhistogram.New(1, fastest, 2)}
}

// add counts a body. The rate is that of a body of which it is within 5%, as its quality says.
func (b *bodyRow) add(bytes int64, perSecond float64, quality throughput.Quality, limit throughput.Limit) *bodyRow {
	if b == nil {
		b = newBodyRow()
	}
	b.bodies++
	b.qualities[string(quality)]++
	if limit != "" {
		b.limits[string(limit)]++
	}
	if quality != throughput.OK && quality != throughput.Paced || perSecond <= 0 {
		return b
	}
	if b.rated == 0 {
		b.min = perSecond
	}
	b.min, b.max = min(b.min, perSecond), max(b.max, perSecond)
	b.rated++
	b.bytes += bytes
	b.took += time.Duration(float64(bytes) / perSecond * float64(time.Second))
	_ = b.perSecond.RecordValue(int64(min(max(perSecond/1e3, 1), fastest))) // within what it has
	return b
}

// merge adds the bodies of another row.
func (b *bodyRow) merge(other *bodyRow) *bodyRow {
	if b == nil {
		b = newBodyRow()
	}
	if b.rated == 0 {
		b.min = other.min
	}
	if other.rated > 0 {
		b.min, b.max = min(b.min, other.min), max(b.max, other.max)
	}
	b.bodies, b.rated = b.bodies+other.bodies, b.rated+other.rated
	b.bytes, b.took = b.bytes+other.bytes, b.took+other.took
	b.perSecond.Merge(other.perSecond)
	for quality, n := range other.qualities {
		b.qualities[quality] += n
	}
	for limit, n := range other.limits {
		b.limits[limit] += n
	}
	return b
}

// Figures are those of the document; nil for a direction in which nothing was measured.
func (r *Rates) Figures() (up, down *rundoc.HTTPBodies) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.direction(func(rows *bodyRows) *bodyRow { return rows.up }),
		r.direction(func(rows *bodyRows) *bodyRow { return rows.down })
}

func (r *Rates) direction(of func(*bodyRows) *bodyRow) *rundoc.HTTPBodies {
	var all *bodyRow
	var list []rundoc.HTTPBodies
	for name, rows := range r.rows {
		if row := of(rows); row != nil {
			all = all.merge(row)
			list = append(list, row.figures(name))
		}
	}
	if all == nil {
		return nil
	}
	slices.SortFunc(list, func(a, b rundoc.HTTPBodies) int {
		return cmp.Or(cmp.Compare(b.Bodies, a.Bodies), cmp.Compare(a.Name, b.Name))
	})
	whole := all.figures("")
	if len(list) > 1 {
		whole.ByRequest = list
	}
	return &whole
}

func (b *bodyRow) figures(name string) rundoc.HTTPBodies {
	f := rundoc.HTTPBodies{Name: name, Bodies: b.bodies, Qualities: b.qualities, Limits: b.limits, Rated: b.rated}
	if b.rated == 0 {
		return f
	}
	f.BytesPerS = float64(b.bytes) / b.took.Seconds()
	f.MinBytesPerS, f.MaxBytesPerS = b.min, b.max
	at := func(permille int64) *float64 {
		if !rundoc.Supports(b.rated, max(permille, 1000-permille)) {
			return nil
		}
		v := float64(b.perSecond.ValueAtPercentile(float64(permille)/10)) * 1e3
		return new(min(max(v, b.min), b.max))
	}
	f.P10BytesPerS, f.P50BytesPerS, f.P90BytesPerS = at(100), at(500), at(900)
	return f
}
