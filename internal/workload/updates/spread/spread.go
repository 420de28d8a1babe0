package spread

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Sum gathers the moments of all servers.
type Sum struct {
	servers int
	batches map[uint32][]batch // by publisher and sequence
	first   []int64            // by server, of how many batches it was the first
	last    []int64
}

// batch is what is known of one batch, by the publisher's clock.
type batch struct {
	due         int64
	early, late int64 // applied by the first and by the last server
	updates     int64
	told        uint16 // servers
	by          int    // the last that did
	first, last uint16
}

// New makes a Sum for so many servers, and for the batches that were published.
func New(published []rundoc.Published, servers int) *Sum {
	s := &Sum{servers: servers, batches: map[uint32][]batch{}, first: make([]int64, servers), last: make([]int64, servers)}
	room := uint64(kvapi.MaxMoments) // more than that no server keeps
	for _, p := range published {
		n := min(p.Next, room)
		s.batches[p.Publisher] = make([]batch, n)
		room -= n
	}
	return s
}

// Add enters a moment of a server, whose clock is so much ahead of the publisher's. What was not published, and what a
// server tells twice, does not count.
func (s *Sum) Add(server int, m kvapi.Moment, offset int64) {
	list := s.batches[m.Publisher]
	if m.Sequence >= uint64(len(list)) {
		return
	}
	b, at, number := &list[m.Sequence], m.AppliedNS-offset, uint16(server)
	switch {
	case b.told == 0:
		*b = batch{due: m.DueNS, early: at, late: at, updates: m.Updates, told: 1, by: server, first: number, last: number}
		return
	case b.by == server: // they are entered one server after the other
		return
	case at < b.early:
		b.early, b.first = at, number
	case at > b.late:
		b.late, b.last = at, number
	}
	b.told, b.by = b.told+1, server
	b.updates = min(b.updates, m.Updates)
}

// Found is what came of a run with several servers.
type Found struct {
	Spread      rundoc.UpdateSpread
	Stages      []rundoc.NamedStage // to the first server, to the last, and the spread
	Series      []rundoc.UpdateSecond
	First, Last []int64 // by server, of how many batches it was the first and the last
}

// Found sums up. Seconds are counted from the start of the window.
func (s *Sum) Found(start int64) Found {
	var first, last, spread kvapi.Distribution
	f := Found{First: s.first, Last: s.last}
	seconds := map[int64]*second{}
	for _, list := range s.batches {
		for i := range list {
			b := &list[i]
			switch {
			case b.told == 0:
				continue
			case int(b.told) < s.servers:
				f.Spread.Untold++
				continue
			}
			f.Spread.Batches++
			first.Add(b.early - b.due)
			last.Add(b.late - b.due)
			spread.Add(b.late - b.early)
			s.first[b.first]++
			s.last[b.last]++
			at := int64(math.Floor(float64(b.late-start) / 1e9))
			if seconds[at] == nil {
				seconds[at] = new(second)
			}
			seconds[at].add(b)
		}
	}
	for _, stage := range []struct {
		name string
		of   *kvapi.Distribution
	}{{rundoc.StageFirst, &first}, {rundoc.StageE2EScheduled, &last}, {rundoc.StageSpread, &spread}} {
		f.Stages = append(f.Stages, rundoc.NamedStage{Name: stage.name, UpdateStage: stage.of.Stage()})
	}
	for at, one := range seconds {
		f.Series = append(f.Series, one.sum(at))
	}
	slices.SortFunc(f.Series, func(a, b rundoc.UpdateSecond) int { return cmp.Compare(a.Second, b.Second) })
	return f
}

// second is what all servers had applied in one.
type second struct {
	updates int64
	times   []int64 // from due to the last server
}

func (s *second) add(b *batch) {
	s.updates += b.updates
	s.times = append(s.times, max(0, b.late-b.due))
}

func (s *second) sum(at int64) rundoc.UpdateSecond {
	slices.Sort(s.times)
	n := len(s.times)
	sum := rundoc.UpdateSecond{Second: at, Batches: int64(n), Applied: s.updates, E2EMaxNS: s.times[n-1]}
	rank := func(percent int) int64 { return s.times[(n*percent+99)/100-1] }
	if n/2 >= rundoc.MinAbove {
		sum.E2EP50NS = rank(50)
	}
	if n/100 >= rundoc.MinAbove {
		sum.E2EP99NS = rank(99)
	}
	return sum
}
