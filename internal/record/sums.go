package record

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Sums is what a window has come to in bare numbers, as it was counted: what those need who count on by themselves. It
// takes a tenth of what the document takes that Counted makes.
type Sums struct {
	Kinds      []KindSums
	Started    time.Time // of the window, by the wall clock
	Now        time.Time // when it was looked at, likewise
	Elapsed    time.Duration
	Clients    int
	InFlight   int64
	Own        Buckets // the generator's own part of the response times
	Reading    instrument.Reading
	Retries    []rundoc.CauseTime
	Reconnects []rundoc.CauseTime

	ConnectionsOpened, ConnectionsFailed int64
}

// KindSums are those of one kind of operation.
type KindSums struct {
	Operation         rundoc.Operation // the counts and causes alone
	Response, Service Buckets
}

// Buckets are times by bucket, of three significant digits.
type Buckets struct {
	Count, SumNS int64
	List         []Bucket // those that are not empty, the shortest times first
}

// Bucket has the times from one to another, which is not in it; ns.
type Bucket struct{ From, To, Count int64 }

// Sums gives them. It is for any goroutine, as Counted is.
func (s *SoFar) Sums() *Sums {
	run := s.run()
	sums := &Sums{
		Started: s.Started.Add(time.Duration(s.Start)), Now: s.Started.Add(time.Duration(s.Now)),
		Elapsed: time.Duration(s.Now - s.Start), Clients: s.Clients, InFlight: s.InFlight, Reading: s.Reading,
		ConnectionsOpened: s.Connections.opened.Load(), ConnectionsFailed: s.Connections.failed.Load(),
	}
	for kind := range s.Kinds {
		one := KindSums{Operation: s.counts(run, kind)}
		t := timed{run: run, kinds: []int{kind}}
		one.Service = t.merged(func(k *kindCounts) *hist { return k.single }, func(k *kindCounts) *hist { return k.retried }).
			buckets()
		if one.Response = one.Service; s.Window.open {
			one.Response = t.merged(func(k *kindCounts) *hist { return k.response }).buckets()
		}
		sums.Kinds = append(sums.Kinds, one)
	}
	sums.Retries, sums.Reconnects = s.Window.attributed(s.Slots)
	var owns []*hist
	for i := range s.Window.shards {
		owns = append(owns, s.Window.shards[i].own)
	}
	sums.Own = merge(owns...).buckets()
	return sums
}

func (m *merged) buckets() Buckets {
	b := Buckets{Count: m.n, SumNS: m.sum}
	for i, n := range m.counts {
		if n != 0 {
			b.List = append(b.List, Bucket{m.p.low(i), m.p.low(i + 1), n})
		}
	}
	return b
}

// Quantile is the smallest time such that the share q of the times is not above its bucket: the bucket's middle; 0 when
// there are no times.
func (b Buckets) Quantile(q float64) time.Duration {
	rest := max(1, int64(q*float64(b.Count)+.999999))
	i := slices.IndexFunc(b.List, func(one Bucket) bool {
		rest -= one.Count
		return rest <= 0
	})
	if i < 0 {
		return 0
	}
	return time.Duration((b.List[i].From + b.List[i].To) / 2)
}

// Middle is that of a bucket, s. Times are whole ns, so that a bucket of one has its own.
func (b Bucket) Middle() float64 { return float64(b.From+b.To-1) / 2e9 }

// Exponential counts the times by buckets of 2^scale to a doubling, as Prometheus and OpenTelemetry have them: number i
// ends with 2^(i/2^scale) s, which is in it. Where there would be more than most of them, each two become one, and
// scale is one less. None is how many took no time. A time is where the middle of its own bucket is, which is some
// hundredth as wide.
func (b Buckets) Exponential(scale, most int) (at int, counts map[int]int64, none int64) {
	counts = map[int]int64{}
	for _, one := range b.List {
		if one.From == 0 {
			none += one.Count
			continue
		}
		counts[int(math.Ceil(math.Log2(one.Middle())*math.Exp2(float64(scale))))] += one.Count
	}
	for at = scale; len(counts) > most; at-- {
		wider := map[int]int64{}
		for i, n := range counts {
			wider[(i+1)>>1] += n // the upper end of a bucket is in it
		}
		counts = wider
	}
	return at, counts, none
}
