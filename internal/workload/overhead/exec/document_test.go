package exec

import "testing"

// TestExchangesAreInTheSecondsInWhichTheyEnded has a program that ran for longer than the recorder keeps
// seconds open.
func TestExchangesAreInTheSecondsInWhichTheyEnded(t *testing.T) {
	const ms, begin = int64(1e6), int64(1e18)
	f := Program{trace: &Trace{}, found: &Result{Start: begin}}
	for i := range int64(30) {
		e := Exchange{Service: "S3", Operation: "GetObject", Received: begin + i*1000*ms, Status: 200}
		e.Sent = e.Received + 500*ms
		f.trace.Exchanges = append(f.trace.Exchanges, e)
		f.found.End = e.Sent
	}
	doc, err := f.recorded().Document()
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Series) != 30 || len(doc.Slices) != 30 {
		t.Fatalf("%d seconds, %d slices", len(doc.Series), len(doc.Slices))
	}
	for i, p := range doc.Series {
		if p.OK != 1 || *p.Offered != 1 || doc.Slices[i].ResponseTime.Count != 1 {
			t.Errorf("second %d: %d ok, %d offered, %d in the slice", p.Second, p.OK, *p.Offered,
				doc.Slices[i].ResponseTime.Count)
		}
	}
}
