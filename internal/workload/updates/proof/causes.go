package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/units"
)

// maxCauses is how many kinds of what a server noticed a sentence tells.
const maxCauses = 2

// telling orders what a server notices: what says most about batches that are missing comes first. An unreadable
// message is told of elsewhere.
func telling() []string {
	const failed = kvapi.EventReceiveFailed + ":"
	return []string{"remade", "shared", "broker-restarted", failed + "not-found", failed + "denied", "reconnected", failed}
}

// noticed is what the server noticed that may be why batches are missing, as a sentence behind others; "" for nothing.
func noticed(events []kvapi.Event) string {
	var said []string
	for _, kind := range telling() {
		for i := range events {
			e := &events[i]
			same := e.Kind == kind || kind == kvapi.EventReceiveFailed+":" && strings.HasPrefix(e.Kind, kind)
			if text := clause(e); same && len(said) < maxCauses && !slices.Contains(said, text) {
				said = append(said, text)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " Reported by the server: " + strings.Join(said, "; ") + "."
}

// clause words an event.
func clause(e *kvapi.Event) string {
	text := shorten(e.What)
	if strings.HasPrefix(e.Kind, kvapi.EventReceiveFailed) {
		text = "receive failed: " + text
	}
	if e.Count > 1 {
		text += fmt.Sprintf(" (%s times)", units.Number(e.Count))
	}
	return text
}

// why says what is known of why batches are missing. explained is what the broker's own counts do already.
func (p *prover) why(explained bool) string {
	switch text := noticed(p.Found.Events); {
	case text != "":
		return text
	case explained:
		return ""
	case p.Found.Watched:
		return " The server reported no cause."
	}
	return " The server does not report subscription events."
}

// unreadable is how many messages the server could not take in the time of the run, or since its start where it does
// not tell that.
func unreadable(found *kvapi.Run) int64 {
	if !found.Watched {
		return found.Unreadable
	}
	for _, e := range found.Events {
		if e.Kind == kvapi.EventUnreadable {
			return e.Count
		}
	}
	return 0
}

// others says what came of other runs, behind a sentence.
func others(found *kvapi.Run) string {
	o := found.Others
	switch {
	case !found.Watched:
		return ""
	case o.Batches == 0:
		return " It received no batch of another run in that time."
	case o.Runs == 1:
		return fmt.Sprintf(" It also received %s batches of another run in that time, which may have overwritten keys.",
			units.Number(o.Batches))
	}
	return fmt.Sprintf(" From %s other runs it received %s batches in that time, which may have overwritten keys.",
		units.Number(o.Runs), units.Number(o.Batches))
}
