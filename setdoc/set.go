package setdoc

import (
	"encoding/json"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Schema names the version of the document that this package reads and writes.
const Schema = "plimsoll.set/v1"

// The kinds of sets.
const (
	KindSweep = "sweep" // the same kind of run at several settings
	KindPlan  = "plan"  // the runs of a plan file

	KindCompare  = "compare"  // two sides in turn
	KindLoadline = "loadline" // the probes of a search for the highest load
	KindLaunches = "launches" // the same run, started afresh until it is known
)

// Set is what became of several runs.
type Set struct {
	Schema      string          `json:"schema"` // always Schema
	ID          string          `json:"id"`     // unique; sorts by time of start
	Kind        string          `json:"kind"`   // KindSweep and the like
	Labels      []string        `json:"labels,omitempty"`
	Started     time.Time       `json:"started"`
	Ended       time.Time       `json:"ended"`
	Interrupted bool            `json:"interrupted"`
	Planned     int             `json:"planned"` // how many members there were to be; one that was cut short has fewer
	Tool        rundoc.Tool     `json:"tool"`
	Host        rundoc.Host     `json:"host"`
	Plan        json.RawMessage `json:"plan"` // what was asked for, without secrets
	Members     []Member        `json:"members"`
	Verdict     rundoc.Verdict  `json:"verdict"`         // Validity, with how many members have which
	Sweep       *Sweep          `json:"sweep,omitempty"` // of a sweep
	Comparison  *Comparison     `json:"comparison,omitempty"`
	Loadline    *Loadline       `json:"loadline,omitempty"`
	Launches    *Launches       `json:"launches,omitempty"`
	// Exit is the status that the command ended with, as far as the runs are why, and Error what it said then; as in a run
	// document.
	Exit  int    `json:"exit,omitempty"`
	Error string `json:"error,omitempty"`
}

// Member is one run of a set, in the order in which they were made.
type Member struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"` // for a person: "clients 8, repeat 2", or the name that the plan file has
	Workload string            `json:"workload"`
	Path     string            `json:"path,omitempty"`     // of its document, from the set's folder; absent when not kept
	Settings map[string]string `json:"settings,omitempty"` // those that make it another than the other members
	Repeat   int               `json:"repeat,omitempty"`   // from 1 on, of a sweep
	Started  time.Time         `json:"started"`
	Target   string            `json:"target"` // without secrets; "demo" for an embedded one
	Verdict  rundoc.Verdict    `json:"verdict"`
	Exit     int               `json:"exit"`            // what the status of its command alone would have been
	Error    string            `json:"error,omitempty"` // why it was not 0

	// Of a run of a plan file, to tell it from the others; what a run of a sweep came to is in its row.
	RatePerS *float64 `json:"rate_per_s,omitempty"` // operations per second, where its operations have a rate together
	P99NS    *int64   `json:"p99_ns,omitempty"`     // of the response time
	Result   string   `json:"result,omitempty"`     // what its kind says in place of a rate

	Thresholds []rundoc.Threshold `json:"thresholds,omitempty"`
	Aborted    string             `json:"aborted,omitempty"` // the threshold whose miss ended the run early
}

// fewInvalid is the share of a comparison's members that may be invalid without its figures being so. Its rows leave a
// fifth of the launches out at either end, whatever is wrong with them, and each launch has two members.
const fewInvalid = 0.05

// Validity is the verdict that follows from those of the members: the gravest; "" where nothing was measured in any. A
// comparison with few that are invalid is suspect.
func (s *Set) Validity() rundoc.Validity {
	count := map[rundoc.Validity]int{}
	for i := range s.Members {
		count[s.Members[i].Verdict.Validity]++
	}
	if n := count[rundoc.Invalid]; n > 0 && s.Comparison != nil && float64(n) <= fewInvalid*float64(len(s.Members)) {
		return rundoc.Suspect
	}
	for _, v := range []rundoc.Validity{rundoc.Invalid, rundoc.Suspect, rundoc.Seen, rundoc.Valid} {
		if count[v] > 0 {
			return v
		}
	}
	return ""
}
