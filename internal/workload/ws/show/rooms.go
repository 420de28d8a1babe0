package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Rooms is the table by room, the slowest first, without the rooms that had no messages.
func Rooms(v *report.View, all []rundoc.RoomFigures) report.Section {
	type room = *rundoc.RoomFigures
	var rooms []room
	for i := range all {
		if r := &all[i]; r.OK+r.Failed != 0 {
			rooms = append(rooms, r)
		}
	}
	slices.SortStableFunc(rooms, func(a, b room) int { return cmp.Compare(b.MeanNS, a.MeanNS) })
	s := report.Section{Title: "By room", Tables: []report.Table{report.TableOf(rooms,
		report.Left("room", func(r room) string { return units.Clean(r.Room) }),
		report.Right("ok", func(r room) string { return units.Number(r.OK) }),
		report.Right("share", func(r room) string { return units.Share(float64(r.OK), float64(v.Total.OK)) }),
		report.Right("failed", func(r room) string { return units.Number(r.Failed) }),
		report.Right(v.Words.Short+"/s", func(r room) string { return units.PerSecond(r.RatePerS) }),
		report.Right("mean", func(r room) string { return units.Nonzero(r.MeanNS) }),
		report.Right("p50", func(r room) string { return units.Nonzero(r.P50NS) }),
		report.Right("p99", func(r room) string { return units.Nonzero(r.P99NS) }),
	)}}
	if len(rooms) > 1 {
		s.Notes = append(s.Notes, ranking(rooms, v.Total.OK))
	}
	if few := missing(rooms); len(few) > 0 {
		s.Notes = append(s.Notes, "For rooms with too few messages: "+report.Needs(few)+".")
	}
	if empty := len(all) - len(rooms); empty > 0 && len(rooms) > 0 {
		s.Notes = append(s.Notes, emptyRooms(v, empty, len(all)))
	}
	return s
}

// ranking says by what the rooms are ranked, and which had most messages and which fewest; of equal ones the first.
func ranking(rooms []*rundoc.RoomFigures, all int64) string {
	most, fewest := rooms[0], rooms[0]
	for _, r := range rooms {
		if r.OK > most.OK {
			most = r
		}
		if r.OK < fewest.OK {
			fewest = r
		}
	}
	words := func(r *rundoc.RoomFigures, had string) string {
		return fmt.Sprintf("room %s had the %s messages: %s (%s)", units.Clean(r.Room), had, units.Number(r.OK),
			units.Share(float64(r.OK), float64(all)))
	}
	by := "Slowest mean response time first"
	if most.OK == fewest.OK {
		return by + "."
	}
	return by + "; " + words(most, "most") + ", " + words(fewest, "fewest") + "."
}

// missing are the percentiles that some of the rooms have too few messages for.
func missing(rooms []*rundoc.RoomFigures) []report.Percentile {
	return slices.DeleteFunc(report.Percentiles(report.Narrow), func(p report.Percentile) bool {
		return !slices.ContainsFunc(rooms, func(r *rundoc.RoomFigures) bool { return r.Counted() < p.Needs })
	})
}

// emptyRooms says that rooms are left out, and why they had nothing where the clients were too few.
func emptyRooms(v *report.View, n, all int) string {
	note := fmt.Sprintf("Not shown: %s in which no %s completed.", units.Count(int64(n), "room", "rooms"), v.Words.One)
	if clients := v.Run.Ledger.Clients; strings.Contains(v.Run.Target.URL, plan.Room) && clients < all {
		note += fmt.Sprintf(" Each client joins one room, and %s cannot fill %d rooms: set --rooms to %d or less.",
			units.Count(int64(clients), "client", "clients"), all, clients)
	}
	return note
}
