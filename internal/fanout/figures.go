package fanout

import (
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

// Times are when the first, the median and the last receiver had the messages, since they were to be sent, and by how
// much deliveries were read later than they came. Nil where there are none.
func (f *Fanout) Times() (first, median, last, lateness *rundoc.Summary, err error) {
	for _, t := range []struct {
		to *(*rundoc.Summary)
		of []*record.Distribution
	}{
		{&first, []*record.Distribution{f.first}}, {&median, []*record.Distribution{f.median}},
		{&last, []*record.Distribution{f.last}}, {&lateness, f.lateness[:]},
	} {
		if *t.to, err = record.Together(t.of...); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	return first, median, last, lateness, nil
}
