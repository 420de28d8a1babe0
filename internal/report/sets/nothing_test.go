package sets

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Two sweeps that were cut short before they had a level stand side by side all the same.
func TestPlacesOfNothing(t *testing.T) {
	side := Side{Name: "S", Set: &setdoc.Set{Kind: setdoc.KindSweep, Sweep: &setdoc.Sweep{Workload: "chat", Figure: requests,
		Vary: []setdoc.Vary{{Setting: "clients", Numeric: true, Values: []string{"1", "2"}}}}}}
	page, err := Beside(side, side, report.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Text(&b, report.Options{}); err != nil || len(page.Graphs()) != 0 {
		t.Errorf("%v, %d panels", err, len(page.Graphs()))
	}
	if p := NewView(Source{Set: side.Set}, report.Options{}).places(); len(p.x) != 0 || p.numbers || p.axis.Name != "clients" {
		t.Errorf("%+v", p)
	}
}
