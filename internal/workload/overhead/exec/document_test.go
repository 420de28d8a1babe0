package exec

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestOverlappingCallsKeepInvariants has a hundred calls of 50 ms that fill the window. Of each ten one is followed by the
// next before the responder has seen that its answer is out.
func TestOverlappingCallsKeepInvariants(t *testing.T) {
	const ms, begin = int64(1e6), int64(1e18)
	f := Program{trace: &Trace{}}
	now := begin
	for i := range 100 {
		e := Exchange{Service: "S3", Operation: "GetObject", Conn: 1, Received: now, Status: 200}
		e.Answering, e.Sent = now+5*ms, now+50*ms
		f.trace.Exchanges = append(f.trace.Exchanges, e)
		if now += 50 * ms; i%10 == 9 {
			now -= 40 * ms
		}
	}
	var err error
	if f.found, err = Measure(f.trace.Exchanges, Options{}); err != nil {
		t.Fatal(err)
	}
	doc, err := f.document()
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Little.InFlightPredicted; got < 1.02 {
		t.Errorf("%v in flight", got)
	}
	doc.Workload, doc.Plan, doc.Detail = rundoc.WorkloadOverhead, json.RawMessage("{}"), f.detail()
	doc.Conclude()
	if doc.Verdict.Broken() {
		t.Errorf("%+v", doc.Verdict)
	}
}
