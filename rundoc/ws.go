package rundoc

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
)

const (
	// WorkloadChat is the Workload of a run whose Detail is a ChatDetail.
	WorkloadChat = "chat"
	// WorkloadWS is the Workload of a run whose Detail is a WSDetail.
	WorkloadWS = "ws"
)

// ChatDetail is the Detail of a chat run.
type ChatDetail struct {
	Replies Replies       `json:"replies"`
	ByRoom  []RoomFigures `json:"by_room"`        // rooms in numerical order
	Tail    *MessageTail  `json:"tail,omitempty"` // absent of too few messages for a p99, and where it was not counted
	Fanout  *Fanout       `json:"fanout,omitempty"`
	Lost    *WSLosses     `json:"lost,omitempty"`
	Samples *SamplesFile  `json:"samples,omitempty"`
}

// WSLosses says what is known of lost connections beyond their causes: the reasons of close frames, made printable and
// without secrets, and what was wrong with what the server sent. It is absent where nothing more is known.
type WSLosses struct {
	Texts []WSLoss `json:"texts"`          // at most 20, the most frequent first
	More  int64    `json:"more,omitempty"` // connections with other texts
}

// WSLoss counts lost connections of one cause and one text.
type WSLoss struct {
	Cause string `json:"cause"`
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// WSDetail is the Detail of a run over WebSocket that a protocol file or a preset describes. Its counts cover the whole
// of the load: the ramp, the window and the drain.
type WSDetail struct {
	Protocol WSProtocol `json:"protocol"`
	Replies  Replies    `json:"replies"`
	// Untaken counts those of the unmatched that no rule of the protocol takes. UntakenExample is the start of the first,
	// made printable; only its length where the protocol has secrets.
	Untaken        int64         `json:"untaken,omitempty"`
	UntakenExample string        `json:"untaken_example,omitempty"`
	Heartbeats     int64         `json:"heartbeats"`        // that the server sent, and that were answered
	Beats          int64         `json:"beats"`             // that the clients sent
	Deliveries     int64         `json:"deliveries"`        // messages that somebody sent, and that came to the clients
	ByRoom         []RoomFigures `json:"by_room,omitempty"` // rooms in numerical order; absent where there is only one
	Tail           *MessageTail  `json:"tail,omitempty"`
	Fanout         *Fanout       `json:"fanout,omitempty"`
	Lost           *WSLosses     `json:"lost,omitempty"`
	Samples        *SamplesFile  `json:"samples,omitempty"`
}

// WSProtocol is what the clients of a run over WebSocket spoke.
type WSProtocol struct {
	Name   string `json:"name"` // of the preset, or of the file
	Codec  string `json:"codec"`
	Preset bool   `json:"preset"`
}

// MessageTail tells what the slowest messages have in common: those whose response time is the p99 of all, or longer. A
// message may be in several of the counts but the last.
type MessageTail struct {
	FromNS      int64 `json:"from_ns"`     // the p99
	Messages    int64 `json:"messages"`    // all of them
	Retried     int64 `json:"retried"`     // that were tried more than once
	Reconnected int64 `json:"reconnected"` // that waited for a connection that replaced a lost one
	Waited      int64 `json:"waited"`      // more than half of whose time was the wait for a free client
	OwnDelay    int64 `json:"own_delay"`   // more than half of whose time was the generator's own delay
	Other       int64 `json:"other"`       // with nothing of that
}

// Replies counts replies that were not simply the one answer to a waiting message. Each has
// its own name, and none is counted under two.
type Replies struct {
	Late       int64 `json:"late"`       // the message's attempt had timed out before
	Duplicate  int64 `json:"duplicate"`  // the attempt had been answered before
	Reordered  int64 `json:"reordered"`  // in time, but after the answer to a later message
	Unmatched  int64 `json:"unmatched"`  // names no message sent on this connection, or none
	Unreadable int64 `json:"unreadable"` // not JSON, or not a JSON object
	// Example is the start of the first unreadable or unmatched reply, made printable.
	Example string `json:"example,omitempty"`
}

// RoomFigures sums up the window's messages of one room.
type RoomFigures struct {
	Room     string  `json:"room"`
	OK       int64   `json:"ok"`
	Failed   int64   `json:"failed"`
	RatePerS float64 `json:"rate_per_s"`        // ok messages that ended inside the window ÷ window
	Times    int64   `json:"times,omitempty"`   // response times; absent in documents of before they were counted
	MeanNS   int64   `json:"mean_ns,omitempty"` // of them
	P50NS    int64   `json:"p50_ns,omitempty"`  // of them; 3% precision; absent where they are too few, as p99
	P99NS    int64   `json:"p99_ns,omitempty"`
}

// UnmarshalJSON leaves out percentiles that documents of before have of too few messages.
func (r *RoomFigures) UnmarshalJSON(text []byte) error {
	type plain RoomFigures
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	forgetFew(r.Counted(), 500, &r.P50NS)
	forgetFew(r.Counted(), 990, &r.P99NS)
	return nil
}

// Counted is how many response times the room has, or may have at most where the document does not tell.
func (r *RoomFigures) Counted() int64 {
	if r.Times > 0 {
		return r.Times
	}
	return r.OK + r.Failed
}

// SamplesFile tells what became of the per-message file.
type SamplesFile struct {
	Path    string `json:"path"`
	Written int64  `json:"written"`
	Lost    int64  `json:"lost"`            // not written, because the disk failed or was too slow
	Error   string `json:"error,omitempty"` // why
}

// Chat is the detail of a chat run, or nil for another workload and where there is none that can
// be read.
func (r *Run) Chat() *ChatDetail {
	d, _ := r.Detail.(*ChatDetail)
	return d
}

// WS is the detail of a run over WebSocket, or nil for another workload and where there is none that can be read.
func (r *Run) WS() *WSDetail {
	d, _ := r.Detail.(*WSDetail)
	return d
}

func (d *ChatDetail) laws(j *judgement) {
	if d != nil {
		d.Tail.laws(j, WorkloadChat)
		j.rooms(WorkloadChat, d.ByRoom)
		d.Fanout.laws(j)
		d.Lost.laws(j, WorkloadChat)
	}
}

// laws: what no rule takes is unmatched, and is there where there is an example of it.
func (d *WSDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	d.Tail.laws(j, WorkloadWS)
	j.rooms(WorkloadWS, d.ByRoom)
	d.Fanout.laws(j)
	d.Lost.laws(j, WorkloadWS)
	r := &d.Replies
	counts := min(r.Late, r.Duplicate, r.Reordered, r.Unmatched, r.Unreadable, d.Untaken)
	if min(counts, d.Heartbeats, d.Beats, d.Deliveries) < 0 {
		j.broken("ws: a count is negative")
	}
	if f := d.Fanout; f != nil && f.SendersOwn > d.Deliveries {
		j.broken("ws: the senders got %d of their own messages, but %d deliveries in all", f.SendersOwn, d.Deliveries)
	}
	if d.Untaken > r.Unmatched || d.Untaken == 0 && d.UntakenExample != "" {
		j.broken("ws: %d messages matched no rule, but %d are unmatched, and the example is %.40q", d.Untaken, r.Unmatched,
			d.UntakenExample)
	}
}

// laws: each text was that of a connection at least.
func (l *WSLosses) laws(j *judgement, kind string) {
	if l == nil {
		return
	}
	least := l.More
	for i := range l.Texts {
		least = min(least, l.Texts[i].Count-1)
	}
	if least < 0 {
		j.broken("%s: a count of lost connections is negative", kind)
	}
}

// rooms: each message was sent to one room.
func (j *judgement) rooms(kind string, rooms []RoomFigures) {
	if len(rooms) == 0 {
		return
	}
	var ok int64
	var rate float64
	for i := range rooms {
		room := &rooms[i]
		ok, rate = ok+room.OK, rate+room.RatePerS
		if room.P99NS != 0 && room.P50NS > room.P99NS || min(room.OK, room.Failed, room.MeanNS, room.P50NS) < 0 {
			j.broken("%s: the values of the room %.40q are inconsistent", kind, room.Room)
		}
	}
	if ok != j.total.OK || !near(rate, j.total.RatePerS, 1e-6) {
		j.broken("%s: the rooms have %d ok messages and %.7g/s, but the operations %d and %.7g/s", kind, ok, rate,
			j.total.OK, j.total.RatePerS)
	}
}

// laws: the slowest messages are a hundredth of all at least, and each is counted.
func (t *MessageTail) laws(j *judgement, kind string) {
	if t == nil {
		return
	}
	s := &j.total.ResponseTime
	named := t.Messages - t.Other
	least := max(t.Retried, t.Reconnected, t.Waited, t.OwnDelay)
	most := t.Retried + t.Reconnected + t.Waited + t.OwnDelay
	lowest := min(t.Retried, t.Reconnected, t.Waited, t.OwnDelay, t.Other)
	if lowest < 0 || named < least || named > most {
		j.broken("%s: of %d slowest messages %d have no mark, and %d, %d, %d and %d have one", kind, t.Messages, t.Other,
			t.Retried, t.Reconnected, t.Waited, t.OwnDelay)
	}
	if j.totalErr != nil {
		return
	}
	if s.P99NS == nil || *s.P99NS != t.FromNS || t.Messages > s.Count || t.Messages <= s.Count/100 ||
		t.Retried > j.total.Retries {
		j.broken("%s: %d messages, of which %d were retried, took %s or more, but the p99 of %d is %s", kind, t.Messages,
			t.Retried, units.Duration(t.FromNS), s.Count, orAbsent(s.P99NS))
	}
}

func (d *ChatDetail) doubts(j *judgement) {
	j.commonDoubts("client")
	if d != nil {
		d.Fanout.doubts(j)
	}
}

func (d *ChatDetail) alike() bool { return true }

func (d *ChatDetail) warn(w *warnings) {
	w.common("client")
	if d != nil {
		w.fileLost("samples", d.Samples)
		d.Fanout.warn(w)
	}
}

func (d *WSDetail) doubts(j *judgement) {
	j.commonDoubts("client")
	if d != nil {
		d.Fanout.doubts(j)
	}
}

func (d *WSDetail) alike() bool { return true }

func (d *WSDetail) warn(w *warnings) {
	w.common("client")
	if d == nil {
		return
	}
	w.fileLost("samples", d.Samples)
	d.Fanout.warn(w)
	if why := d.NoRule(); why != "" && unanswered(w.total) > 0 {
		w.add(WarnNoRule, "%s. To see which rule matches which frame, run: plimsoll ws --inspect %s %s", why, d.Protocol.Name,
			w.run.Target.URL)
	}
}

// NoRule says, with the first of them, that messages came which no rule of the protocol takes; "" where none did.
func (d *WSDetail) NoRule() string {
	if d.Untaken <= 0 {
		return ""
	}
	of := d.Protocol.Name
	if d.Protocol.Preset {
		of = "the preset " + of
	}
	why := fmt.Sprintf("%s matched no rule of %s", units.Count(d.Untaken, "message", "messages"), of)
	if d.UntakenExample != "" {
		why += "; first: " + d.UntakenExample
	}
	return why
}

// unanswered is how many messages got no answer in their time.
func unanswered(total *Operation) (n int64) {
	for _, c := range total.Causes {
		if c.Cause == "timeout" || c.Cause == "own-timeout" {
			n += c.Count
		}
	}
	return n + total.Unfinished
}
