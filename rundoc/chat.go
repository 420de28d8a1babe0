package rundoc

import "encoding/json"

// WorkloadChat is the Workload of a run whose Detail is a ChatDetail.
const WorkloadChat = "chat"

// ChatDetail is the Detail of a chat run.
type ChatDetail struct {
	Replies Replies       `json:"replies"`
	ByRoom  []RoomFigures `json:"by_room"` // rooms in numerical order
	Samples *SamplesFile  `json:"samples,omitempty"`
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
	P50NS    int64   `json:"p50_ns,omitempty"`  // of them; 3 % precision; absent where they are too few, as p99
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

// laws: each message was sent to one room.
func (d *ChatDetail) laws(j *judgement) {
	if d == nil || len(d.ByRoom) == 0 {
		return
	}
	var ok int64
	var rate float64
	for i := range d.ByRoom {
		room := &d.ByRoom[i]
		ok, rate = ok+room.OK, rate+room.RatePerS
		if room.P99NS != 0 && room.P50NS > room.P99NS || min(room.OK, room.Failed, room.MeanNS, room.P50NS) < 0 {
			j.broken("chat: the figures of the room %.40q make no sense together", room.Room)
		}
	}
	if ok != j.total.OK || !near(rate, j.total.RatePerS, 1e-6) {
		j.broken("chat: the rooms have %d ok messages and %.7g/s, but the operations %d and %.7g/s", ok, rate,
			j.total.OK, j.total.RatePerS)
	}
}

func (d *ChatDetail) doubts(j *judgement) { j.commonDoubts("client") }

func (d *ChatDetail) alike() bool { return true }

func (d *ChatDetail) warn(w *warnings) {
	w.common("client")
	if d != nil {
		w.fileLost("samples", d.Samples)
	}
}
