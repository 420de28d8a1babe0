package chat

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// listed adds to the load of a run in the list what its messages have that those of most runs have not.
func listed(run *rundoc.Run, l *report.Listing) {
	l.Load = report.LoadOf(run)
	usual := DefaultPlan().Mix
	p := struct {
		Mix struct {
			Rooms       int     `json:"rooms"`
			MessageSize int     `json:"message_size"`
			TextShare   float64 `json:"text_share"`
		} `json:"mix"`
		TargetFlags []string `json:"target_flags"`
	}{}
	p.Mix.Rooms, p.Mix.TextShare = usual.Rooms, usual.TextShare
	if json.Unmarshal(run.Plan, &p) != nil || l.Load == "" {
		return // a plan of another shape
	}
	parts := []string{l.Load}
	if n := int64(p.Mix.Rooms); p.Mix.Rooms != usual.Rooms {
		parts = append(parts, units.Count(n, "room", "rooms"))
	}
	if n := int64(p.Mix.MessageSize); n > 0 {
		parts = append(parts, "messages of "+units.Count(n, "character", "characters"))
	}
	if p.Mix.TextShare != usual.TextShare {
		parts = append(parts, units.Percent(p.Mix.TextShare)+" text")
	}
	if len(p.TargetFlags) > 0 {
		const few = 3
		parts = append(parts, "demo with "+units.Clean(units.FirstOf(p.TargetFlags, few)))
	}
	l.Load = strings.Join(parts, ", ")
}
