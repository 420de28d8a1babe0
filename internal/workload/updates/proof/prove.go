package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Evidence is what a proof is made of.
type Evidence struct {
	Manifest *rundoc.Manifest
	Found    *kvapi.Run // with its state
	// Updates are in the batches that the server received; negative when that is not known.
	Updates int64
	// OfReceived is the state that the received batches lead to; nil when that is not known.
	OfReceived *rundoc.StateSum
	Instance   string // of the server at the start; "" when not known
	// Elsewhere is the topic that the server reads from, where that is another than the run's.
	Elsewhere string
	// AtLeastOnce says that the transport delivers until it is acknowledged.
	AtLeastOnce bool
	// Early says, in a sentence, why Found is not what the server had at the end: it stopped answering,
	// or nobody waited for it. What is missing may have come since. "" when Found is from the end.
	Early string
}

// maxSpans bounds the ranges that a document lists. Their number of batches is always whole.
const maxSpans = 1000

// Prove holds what a server received against what was published. It is complete when each batch
// that the broker acknowledged was received, nothing was received that was not published, each
// update was applied or stale exactly once, and the state is the one that follows. It is unknown when
// nothing contradicts that, and the server could not be asked for all of it.
func Prove(e Evidence) rundoc.Proof {
	m, found := e.Manifest, e.Found
	p := prover{Evidence: e, p: rundoc.Proof{
		Published: m.Batches, Unreadable: found.Unreadable,
		Applied: found.Rows.Applied, Stale: found.Rows.Stale, Partial: found.Partial.Updates,
		Expected:  rundoc.StateSum{Live: m.Live, Digest: m.Digest},
		Restarted: e.Instance != "" && found.Instance != e.Instance,
	}}
	p.batches()
	p.updates()
	p.state()
	if e.Early != "" && (len(p.p.Problems) > 0 || found.State == nil) {
		p.p.Problems = slices.Insert(p.p.Problems, 0, e.Early)
	}
	p.p.Complete = len(p.p.Problems) == 0
	p.p.Unknown = !p.p.Complete && !p.wrong
	return p.p
}

type prover struct {
	Evidence
	p       rundoc.Proof
	ranges  int  // of lost batches, listed or not
	arrived bool // those of the unsure that arrived are not those of the manifest
	wrong   bool // a problem contradicts the proof, and does not only keep it open
}

// contradict adds a problem that contradicts the proof.
func (p *prover) contradict(format string, args ...any) {
	p.wrong = true
	p.doubt(format, args...)
}

// doubt adds one that keeps it open.
func (p *prover) doubt(format string, args ...any) {
	p.p.Problems = append(p.p.Problems, fmt.Sprintf(format, args...))
}

// batches compares the sequences.
func (p *prover) batches() {
	counted := int64(0)
	for _, r := range p.Found.Publishers {
		if !slices.ContainsFunc(p.Manifest.Publishers,
			func(m rundoc.Published) bool { return m.Publisher == r.Publisher }) {
			n := Received(&r).Count()
			p.p.Foreign, p.p.Received = plus(p.p.Foreign, n), plus(p.p.Received, n)
		}
		p.p.Duplicates += r.Duplicates
		counted += r.Batches
	}
	for _, m := range p.Manifest.Publishers {
		p.publisher(&m, Received(ReceivedFrom(p.Found, m.Publisher)))
	}
	p.missing()
	if p.p.Foreign > 0 {
		p.contradict("The server received %s with the ID of this run that this run did not publish.",
			units.Count(p.p.Foreign, "batch", "batches"))
	}
	if counted != p.p.Received {
		p.contradict("The server counted %s batches but lists %s sequences.",
			units.Number(counted), units.Number(p.p.Received))
	}
}

// publisher compares the sequences of one publisher.
func (p *prover) publisher(m *rundoc.Published, got Spans) {
	p.p.Received = plus(p.p.Received, got.Count())
	p.p.Foreign = plus(p.p.Foreign, got.from(m.Next).Count())
	if never := Unused(m); len(never) > 0 {
		p.p.Foreign = plus(p.p.Foreign, max(0, plus(got.Count(), never.Count())-got.and(never).Count()))
	}
	// A document may come from anywhere, and list them in any order.
	arrived := slices.Sorted(slices.Values(m.Arrived))
	for _, s := range m.Unsure {
		has := got.Has(s)
		if has {
			p.p.Unsure++
		}
		if _, then := slices.BinarySearch(arrived, s); has != then {
			p.arrived = true
		}
	}
	lost := got.missing(m)
	p.p.Lost = plus(p.p.Lost, lost.Count())
	p.ranges += len(lost)
	for _, s := range lost {
		if len(p.p.LostSpans) < maxSpans {
			p.p.LostSpans = append(p.p.LostSpans, rundoc.LostSpan{Publisher: m.Publisher, First: s.First, Last: s.Last})
		}
	}
}

// ReceivedFrom is what a server says of a publisher; nothing when it says nothing.
func ReceivedFrom(found *kvapi.Run, publisher uint32) *kvapi.Received {
	for i := range found.Publishers {
		if found.Publishers[i].Publisher == publisher {
			return &found.Publishers[i]
		}
	}
	return &kvapi.Received{Publisher: publisher}
}

// missing words what was lost.
func (p *prover) missing() {
	if p.p.Lost == 0 {
		return
	}
	p.wrong = p.wrong || p.Early == "" // else it may have come since
	held := max(0, p.Found.Backlog) + max(0, p.Found.Unacked)
	p.p.Undrained = min(p.p.Lost, held)
	text := fmt.Sprintf("%s of %s batches acknowledged by the broker were not received: %s.",
		units.Number(p.p.Lost), units.Number(p.p.Published), ranges(p.p.LostSpans, p.ranges))
	explained := true
	switch {
	case p.Found.Refusal != "", p.Found.Trouble != "":
		of := ""
		if n := p.Found.Refused; n > 0 {
			of = " (" + units.Number(n) + " deliveries refused)"
		}
		text += fmt.Sprintf(" The server could not store batches%s: %s.",
			of, shorten(cmp.Or(p.Found.Refusal, p.Found.Trouble)))
		p.p.Problems = append(p.p.Problems, text)
		return
	case unreadable(p.Found) > 0 && p.Found.Example != "":
		text += fmt.Sprintf(" The server skipped %s that it could not process; first error: %s.",
			messages(unreadable(p.Found)), shorten(p.Found.Example))
	case p.p.Undrained == p.p.Lost:
		text += " The broker still holds the same number of messages: the server did not receive them in time."
	case p.p.Undrained > 0:
		text += fmt.Sprintf(" The broker still holds %s.", messages(held))
	case p.Found.Dropped > 0:
		text += fmt.Sprintf(" The broker or the client library dropped %s.", messages(p.Found.Dropped))
	case p.AtLeastOnce && p.Found.Backlog == 0 && p.Found.Unacked == 0:
		text += " The broker holds no more messages for this server."
		explained = false
	default:
		explained = false
	}
	text += p.why(explained || p.Elsewhere != "")
	if p.Elsewhere != "" {
		text += " The server reads from " + p.Elsewhere + "."
	}
	if !p.AtLeastOnce {
		text += " This transport delivers at most once and can lose messages; if two servers share a subscription, each " +
			"message goes to only one of them."
	}
	p.p.Problems = append(p.p.Problems, text)
}

// shorten keeps a sentence of another program within a line or two.
func shorten(s string) string {
	const most = 200
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ".")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// messages is a number of them.
func messages(n int64) string {
	if n == 1 {
		return "1 message"
	}
	return units.Number(n) + " messages"
}

// ranges lists the first few of the Spans, of which there are so many in all.
func ranges(list []rundoc.LostSpan, all int) string {
	const few = 5
	var parts []string
	for i, s := range list {
		if i == few {
			parts = append(parts, fmt.Sprintf("and %s more ranges", units.Number(int64(all-few))))
			break
		}
		part := fmt.Sprintf("publisher %d: %d", s.Publisher, s.First)
		if i > 0 && list[i-1].Publisher == s.Publisher {
			part = strconv.FormatUint(s.First, 10)
		}
		if s.Last > s.First {
			part += "–" + strconv.FormatUint(s.Last, 10)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// updates compares the rows.
func (p *prover) updates() {
	done := p.p.Applied + p.p.Stale
	if p.Updates < 0 {
		p.p.Updates = done
		return
	}
	p.p.Updates = p.Updates
	switch {
	case done < p.Updates:
		p.contradict("%s updates were received, but only %s were applied or found stale.",
			units.Number(p.Updates), units.Number(done))
	case done > p.Updates:
		p.contradict("%s updates were received, but %s were applied or found stale: some were processed twice.",
			units.Number(p.Updates), units.Number(done))
	}
}

// state compares the digests.
func (p *prover) state() {
	found := p.Found.State
	if found == nil {
		if p.Early == "" { // which says so
			p.doubt("The server did not report its state.")
		}
		return
	}
	p.p.Found = rundoc.StateSum{Live: found.Live, Digest: found.Digest}
	if p.arrived {
		p.doubt("The states cannot be compared: the unacknowledged batches that arrived differ from those in the manifest.")
		return
	}
	p.p.StateKnown = true
	if p.p.Found == p.p.Expected {
		return
	}
	text := fmt.Sprintf("The state of the server is wrong: %s keys with digest %016x, expected %s with %016x.",
		units.Number(p.p.Found.Live), p.p.Found.Digest, units.Number(p.p.Expected.Live), p.p.Expected.Digest)
	if p.OfReceived != nil && *p.OfReceived == p.p.Found {
		text += " It matches the received batches."
	}
	if n := p.Found.Partial; n.Updates > 0 {
		text += fmt.Sprintf(" It contains %[2]s updates of %[1]s batches that the server refused.",
			units.Number(n.Batches), units.Number(n.Updates))
	}
	if p.p.Lost == 0 {
		text += others(p.Found)
	}
	p.wrong = p.wrong || p.p.Lost == 0 // with batches on their way it is another at each moment
	p.p.Problems = append(p.p.Problems, text)
}
