package show

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// listed adds to the load of a run in the list what its clients spoke.
func listed(run *rundoc.Run, l *report.Listing) {
	l.Load = report.LoadOf(run)
	p := struct {
		Protocol struct {
			Name    string `json:"name"`
			Message string `json:"message"`
			Rooms   int    `json:"rooms"`
		} `json:"protocol"`
		Load struct {
			Receivers int `json:"receivers"`
		} `json:"load"`
	}{}
	if json.Unmarshal(run.Plan, &p) != nil || l.Load == "" {
		return // a plan of another shape
	}
	parts := []string{l.Load}
	switch {
	case p.Protocol.Name != "":
		parts = append(parts, units.Clean(p.Protocol.Name))
	case p.Protocol.Message != "":
		parts = append(parts, "one message")
	}
	if n := p.Load.Receivers; n > 0 {
		parts = append(parts, units.Count(int64(n), "receiver", "receivers"))
	}
	if n := p.Protocol.Rooms; n > 1 {
		parts = append(parts, units.Count(int64(n), "room", "rooms"))
	}
	l.Load = strings.Join(parts, ", ")
}
