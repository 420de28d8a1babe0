package rundoc

// WorkloadHTTP is the Workload of a run whose Detail is an HTTPDetail.
const WorkloadHTTP = "http"

// HTTPDetail is the Detail of a run over HTTP. It covers the whole of the load: the ramp, the window and the drain.
type HTTPDetail struct {
	Protocol      string       `json:"protocol"` // "HTTP/1.1", …
	Statuses      []HTTPStatus `json:"statuses"` // in their order
	SentBytes     int64        `json:"sent_bytes"`
	ReceivedBytes int64        `json:"received_bytes"`   // of bodies, as the sent ones, of answers that came whole
	Closed        int64        `json:"closed,omitempty"` // connections that the server closed behind an answer
	Churned       int64        `json:"churned,omitempty"`
	// Resent counts requests that were sent again, on a new connection, since the server had closed theirs before its
	// system took anything of them. They are no further attempts.
	Resent   int64        `json:"resent,omitempty"`
	Failures []HTTPCheck  `json:"failed_checks,omitempty"`
	Samples  *SamplesFile `json:"samples,omitempty"`
}

// HTTPStatus counts the answers of one status.
type HTTPStatus struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// HTTPCheck is a check that did not hold.
type HTTPCheck struct {
	Check   string `json:"check"`
	Count   int64  `json:"count"`
	Example string `json:"example,omitempty"` // what was found instead, the first time
}

// HTTP is the detail of a run over HTTP, or nil for another workload and where there is none that can be read.
func (r *Run) HTTP() *HTTPDetail {
	d, _ := r.Detail.(*HTTPDetail)
	return d
}

// laws: each answer has a status, and more attempts ended ok than there were answers of none.
func (d *HTTPDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	var answers int64
	for _, s := range d.Statuses {
		answers += s.Count
		if s.Status < 100 || s.Status > 999 || s.Count <= 0 {
			j.broken("http: %d answers have the status %d", s.Count, s.Status)
		}
	}
	if answers < j.total.OK {
		j.broken("http: %d requests ended ok, but %d answers have a status", j.total.OK, answers)
	}
	if min(d.SentBytes, d.ReceivedBytes, d.Closed, d.Churned, d.Resent) < 0 {
		j.broken("http: a count is negative")
	}
}

func (d *HTTPDetail) doubts(j *judgement) { j.commonDoubts("client") }

func (d *HTTPDetail) alike() bool { return true }

func (d *HTTPDetail) warn(w *warnings) {
	w.common("client")
	if d != nil {
		w.fileLost("samples", d.Samples)
	}
}
