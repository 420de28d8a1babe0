package rundoc

import "encoding/json"

// Detail is what only one workload has in its documents: a *ChatDetail, a *WSDetail, a *BandwidthDetail, an
// *OverheadDetail, an *UpdatesDetail or an *HTTPDetail, or a RawDetail for what this package cannot read. It is
// decoded once, when the document is read.
//
// A kind says here all that Judge and Warnings must know of its runs. Nil pointers are the kind
// of a run without a detail.
type Detail interface {
	laws(j *judgement)   // its figures against each other, and against those that all runs have
	doubts(j *judgement) // what may have distorted its figures
	warn(w *warnings)    // what a reader should know before using them
	alike() bool         // its operations are samples of one thing, so that their times may be merged
}

// kind is one workload.
type kind struct {
	workload string
	none     Detail // of a run that has no detail, or none that can be read
	decode   func(raw []byte) (Detail, error)
}

// kinds is the list of the workloads that this package knows.
func kinds() []kind {
	return []kind{
		kindOf[ChatDetail](WorkloadChat),
		kindOf[WSDetail](WorkloadWS),
		kindOf[BandwidthDetail](WorkloadBandwidth),
		kindOf[OverheadDetail](WorkloadOverhead),
		kindOf[UpdatesDetail](WorkloadUpdates),
		kindOf[HTTPDetail](WorkloadHTTP),
	}
}

func kindOf[T any, P interface {
	*T
	Detail
}](workload string) kind {
	return kind{workload: workload, none: P(nil), decode: func(raw []byte) (Detail, error) {
		d := P(new(T))
		return d, json.Unmarshal(raw, d)
	}}
}

// DecodeDetail is the detail of a run of this workload. What cannot be read, and the detail of
// another workload, is a RawDetail; there is none where raw is empty or null.
func DecodeDetail(workload string, raw []byte) Detail {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	for _, k := range kinds() {
		if k.workload != workload {
			continue
		}
		if d, err := k.decode(raw); err == nil {
			return d
		}
	}
	return RawDetail(raw)
}

// kind is the run's detail, or what stands for it where there is none that can be read.
func (r *Run) kind() Detail {
	if _, raw := r.Detail.(RawDetail); r.Detail != nil && !raw {
		return r.Detail
	}
	for _, k := range kinds() {
		if k.workload == r.Workload {
			return k.none
		}
	}
	return RawDetail(nil)
}

// RawDetail is the JSON text of a detail that this package cannot read: that of a workload of a
// later program, or one that is broken. It is written as it was read. Its run is judged by what
// all runs have.
type RawDetail json.RawMessage

// MarshalJSON returns the text.
func (d RawDetail) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

func (d RawDetail) laws(*judgement) {}

func (d RawDetail) doubts(j *judgement) { j.commonDoubts("client") }

func (d RawDetail) alike() bool { return true }

func (d RawDetail) warn(w *warnings) { w.common("client") }

// plainRun is a Run without its methods.
type plainRun Run

// UnmarshalJSON reads a document, its detail as that of its workload.
func (r *Run) UnmarshalJSON(text []byte) error {
	// Its Detail hides the one of plainRun, which is deeper. The name is the one in messages.
	type Run struct {
		*plainRun
		Detail json.RawMessage `json:"detail"`
	}
	doc := Run{plainRun: (*plainRun)(r)}
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	r.Detail = DecodeDetail(r.Workload, doc.Detail)
	if r.Verdict.Rules == 0 {
		r.forgetZeros()
	}
	r.forgetUnsupported()
	return nil
}
