package show

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are what the table shows; of several operations it is the highest.
func TestFiguresOfOverhead(t *testing.T) {
	d := &rundoc.OverheadDetail{Rows: []rundoc.OverheadRow{
		{Service: "S3", Operation: "HeadObject", Overhead: rundoc.Sample{N: 500, MedNS: 1.5, MaxNS: 8}},
		{Service: "S3", Operation: "GetObject", Overhead: rundoc.Sample{N: 500, MedNS: 2.5, MaxNS: 7}},
	}}
	run := &rundoc.Run{Workload: "overhead", Detail: d}
	known := Kind().Known("overhead")
	for name, want := range map[string]float64{
		"overhead.p50": 2.5, "overhead.max": 8, "overhead.p50{operation=HeadObject}": 1.5,
		"overhead.p50{operation=S3/HeadObject}": 1.5, "overhead.max{service=S3,operation=GetObject}": 7,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	for _, name := range []string{"overhead.p99", "sdk.p50", "overhead.p50{operation=PutObject}"} {
		if spec, err := figure.Parse(name, known); err != nil || spec.Of(run).Why == "" {
			t.Errorf("%s has a value, or %v", name, err)
		}
	}
	for _, name := range headline() {
		if _, err := figure.Parse(name, known); err != nil {
			t.Error(err)
		}
	}
}
