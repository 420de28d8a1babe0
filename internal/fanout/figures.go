package fanout

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Figures are what came of the messages of the window that are over.
type Figures struct {
	Receivers, Rooms int64
	// Completed messages were in time at each receiver that was there. Failed ones were not, and Nobody of them and of
	// the completed ones had no receiver left that was there. Withdrawn ones are in nothing else, but their deliveries
	// in WithdrawnDeliveries and in Taken.
	Completed, Failed, Nobody, Withdrawn int64
	Due, Delivered, Lost, Away           int64
	WithdrawnDeliveries                  int64
	// Taken is what the receivers counted as delivered themselves; with Kernel of the kernel's stamps and Own of ours.
	Taken, Kernel, Own int64
	// Late ones came when their message was over, or to a receiver that had been away; of those Tardy had come to this
	// machine in time, and were read too late.
	Duplicated, Misordered, Foreign, Elsewhere, Late, Tardy int64
	Copies                                                  int64 // to those who sent
	Absences                                                int64
	UnderWay                                                int64 // messages that are not over, of the window or not
	LostBy, AwayBy                                          []int64
}

// Figures are those so far. They fit together when nothing is under way.
func (f *Fanout) Figures() Figures {
	e := &f.ended
	g := Figures{
		Receivers: int64(len(f.receivers)), Rooms: int64(len(f.rooms)),
		Completed: e.completed.Load(), Failed: e.failed.Load(), Nobody: e.nobody.Load(), Withdrawn: e.withdrawn.Load(),
		Due: e.due.Load(), Delivered: e.delivered.Load(), Lost: e.lost.Load(), Away: e.away.Load(),
		WithdrawnDeliveries: e.withdrawnDeliveries.Load(), Copies: f.copies.Load(),
		LostBy: make([]int64, len(f.receivers)), AwayBy: make([]int64, len(f.receivers)),
	}
	for i, r := range f.receivers {
		g.Taken += r.taken.Load()
		g.Kernel += r.kernel.Load()
		g.Own += r.own.Load()
		g.Duplicated += r.duplicated.Load()
		g.Misordered += r.misordered.Load()
		g.Foreign += r.foreign.Load()
		g.Elsewhere += r.elsewhere.Load()
		g.Late += r.late.Load()
		g.Tardy += r.tardy.Load()
		g.Absences += r.absences.Load()
		g.LostBy[i], g.AwayBy[i] = r.lost.Load(), r.away.Load()
	}
	for i := range f.rooms {
		for _, m := range *f.rooms[i].all.Load() {
			if m.state.Load().left() > 0 {
				g.UnderWay++
			}
		}
	}
	return g
}

// Document is what the run document has of them.
func (f *Fanout) Document() (*rundoc.Fanout, error) {
	g := f.Figures()
	d := &rundoc.Fanout{
		Receivers: g.Receivers, Rooms: g.Rooms,
		Messages: g.Completed + g.Failed, Completed: g.Completed, Failed: g.Failed, Nobody: g.Nobody,
		Withdrawn: g.Withdrawn, WithdrawnDeliveries: g.WithdrawnDeliveries,
		Due: g.Due, Delivered: g.Delivered, Lost: g.Lost, Away: g.Away,
		Duplicated: g.Duplicated, Misordered: g.Misordered, Foreign: g.Foreign, OtherRoom: g.Elsewhere,
		Late: g.Late, ReadLate: g.Tardy, SendersOwn: g.Copies, Absences: g.Absences,
		Taken: g.Taken, KernelStamped: g.Kernel, OwnStamped: g.Own,
	}
	d.Losers, d.ReceiversLost = losers(g.LostBy, g.AwayBy)
	for _, t := range []struct {
		to *rundoc.Summary
		of func() (*rundoc.Summary, error)
	}{
		{&d.First, f.first.Summary}, {&d.Median, f.median.Summary}, {&d.Last, f.last.Summary},
		{&d.OwnLateness, func() (*rundoc.Summary, error) { return record.Together(f.lateness[:]...) }},
	} {
		s, err := t.of()
		if err != nil {
			return nil, err
		}
		if s != nil {
			*t.to = *s
		}
	}
	return d, nil
}

// losers are those receivers that lost most, and how many lost any.
func losers(lost, away []int64) (most []rundoc.Loser, all int64) {
	for i, n := range lost {
		if n > 0 {
			most = append(most, rundoc.Loser{Receiver: int64(i) + 1, Lost: n, Away: away[i]})
		}
	}
	all = int64(len(most))
	slices.SortStableFunc(most, func(a, b rundoc.Loser) int { return cmp.Compare(b.Lost, a.Lost) })
	return slices.Clip(most[:min(len(most), rundoc.MaxLosers)]), all
}
