package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// ReportKind is how runs of a chat are shown.
func ReportKind() report.Kind {
	return report.Kind{
		Words:       report.Words{One: "message", Many: "messages", Short: "msg"},
		Labels:      []string{"type"},
		GroupTitles: map[string]string{"type": "message type"},
		Own:         "plimsoll chat ws://YOUR-HOST:PORT/PATH",
		Less:        lessLoad,
		Figures:     figures(),
		Headline:    []string{"rate", "p50", "p99", "failed"},
		Listed:      listed,
		Show: func(v *report.View) report.Shown {
			if d := v.Run.Chat(); d != nil {
				return &shown{v, d}
			}
			return v
		},
	}
}

// shown is the report of a run whose document has a detail.
type shown struct {
	*report.View
	detail *rundoc.ChatDetail
}

// Sections adds the replies and the rooms.
func (v *shown) Sections() []report.Section {
	return slices.Concat(
		[]report.Section{v.Times(), v.slowest(), v.Outcomes(), v.Failures(), v.replies(), v.Connections()},
		v.Groups(),
		[]report.Section{v.rooms()},
		v.Ending(report.StreamedFile("samples", v.detail.Samples, "sample", "samples")...))
}

// unusual is a sort of replies that were not the one answer to a waiting message.
type unusual struct {
	name    string
	n       int64
	meaning string
}

// replies counts the replies that were not the one answer to a waiting message.
func (v *shown) replies() report.Section {
	r := &v.detail.Replies
	s := report.Section{Title: "Unusual replies"}
	sorts := slices.DeleteFunc([]unusual{
		{"late", r.Late, "the message had timed out before"},
		{"duplicate", r.Duplicate, "the message had been answered before"},
		{"reordered", r.Reordered, "in time, but after the answer to a later message"},
		{"unmatched", r.Unmatched, "names no message of this connection"},
		{"unreadable", r.Unreadable, "no JSON object"},
	}, func(u unusual) bool { return u.n <= 0 })
	if len(sorts) == 0 {
		s.Intro = []string{"None: each reply was the one answer to a waiting message."}
		return s
	}
	s.Tables = []report.Table{report.TableOf(sorts,
		report.Left("", func(u unusual) string { return u.name }),
		report.Right("replies", func(u unusual) string { return units.Number(u.n) }),
		report.Left("meaning", func(u unusual) string { return u.meaning }),
	)}
	if r.Example != "" {
		s.Notes = []string{"The first that could not be used: " + units.Clean(r.Example)}
	}
	return s
}

// rooms is the table by room, the slowest first, without the rooms that had no messages.
func (v *shown) rooms() report.Section {
	type room = *rundoc.RoomFigures
	var rooms []room
	for i := range v.detail.ByRoom {
		if r := &v.detail.ByRoom[i]; r.OK+r.Failed != 0 {
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
		s.Notes = append(s.Notes, "Where a room has too few: "+report.Needs(few)+".")
	}
	if empty := len(v.detail.ByRoom) - len(rooms); empty > 0 && len(rooms) > 0 {
		s.Notes = append(s.Notes, v.emptyRooms(empty))
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
		return fmt.Sprintf("room %s had %s messages: %s (%s)", units.Clean(r.Room), had, units.Number(r.OK),
			units.Share(float64(r.OK), float64(all)))
	}
	by := "The slowest first, by the mean response time"
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
func (v *shown) emptyRooms(n int) string {
	note := fmt.Sprintf("Left out: %s in which no %s ended.", units.Count(int64(n), "room", "rooms"), v.Words.One)
	clients, all := v.Run.Ledger.Clients, len(v.detail.ByRoom)
	if strings.Contains(v.Run.Target.URL, "{room}") && clients < all {
		note += fmt.Sprintf(" Each client joins one room, and %s cannot fill %d: set --rooms to %d or fewer.",
			units.Count(int64(clients), "client", "clients"), all, clients)
	}
	return note
}
