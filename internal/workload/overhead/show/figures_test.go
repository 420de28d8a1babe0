package show

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are what the table shows; of several operations it is the highest.
func TestMetricsOfOverhead(t *testing.T) {
	d := &rundoc.OverheadDetail{Rows: []rundoc.OverheadRow{
		{Service: "S3", Operation: "HeadObject", Overhead: rundoc.Sample{N: 500, MedNS: 1.5, MaxNS: 8},
			ClientTime: rundoc.Sample{N: 500, MedNS: 3.5, MinNS: 3}, Call: rundoc.Sample{N: 500, MedNS: 9, AvgNS: 10},
			CPUPerCallNS: 70, AllocationsPerCall: 441.98, BytesPerCall: 300},
		{Service: "S3", Operation: "GetObject", Overhead: rundoc.Sample{N: 500, MedNS: 2.5, MaxNS: 7},
			ClientTime: rundoc.Sample{N: 500, MedNS: 4.5, MinNS: 2}, Call: rundoc.Sample{N: 500, MedNS: 8, AvgNS: 11},
			CPUPerCallNS: 60, AllocationsPerCall: 432.12, BytesPerCall: 400},
	}}
	run := &rundoc.Run{Workload: "overhead", Detail: d}
	known := Kind().Known("overhead")
	for name, want := range map[string]float64{
		"overhead.p50": 2.5, "overhead.max": 8, "overhead.p50{operation=HeadObject}": 1.5,
		"client.p50": 4.5, "client.min": 3, "client.p50{operation=HeadObject}": 3.5, "call.p50": 9, "call.mean": 11,
		"cpu": 70, "cpu{operation=GetObject}": 60, "allocations": 442, "allocations{operation=GetObject}": 432.1, "allocated": 400,
		"client.geomean": math.Sqrt(3.5 * 4.5), "overhead.geomean": math.Sqrt(1.5 * 2.5), "cpu.geomean": math.Sqrt(70 * 60),
		"allocations.geomean": math.Sqrt(441.98 * 432.12), "allocated.geomean": math.Sqrt(300 * 400), "client.geomean{operation=HeadObject}": 3.5,
		"overhead.p50{operation=S3/HeadObject}": 1.5, "overhead.max{service=S3,operation=GetObject}": 7,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || math.Abs(v.Raw/want-1) > 1e-12 {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	for _, name := range []string{"sdk.geomean", "client.geomean{operation=PutObject}", "overhead.p99", "client.p99", "call.p99", "sdk.p50", "client.p50{operation=PutObject}", "overhead.p50{operation=PutObject}"} {
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

// A run that does not know a figure has none, which is not 0: a foreign client knows but its SDK time, and documents of
// before no client time.
func TestMissingMetricsHaveReasons(t *testing.T) {
	d := &rundoc.OverheadDetail{Rows: []rundoc.OverheadRow{{Service: "S3", Operation: "HeadObject",
		SDKTime: rundoc.Sample{N: 500, MedNS: 1.5}}}}
	run := &rundoc.Run{Workload: "overhead", Detail: d}
	for _, name := range []string{"client.p50", "call.p50", "overhead.p50", "cpu", "allocations", "allocated"} {
		spec, err := figure.Parse(name, Kind().Known("overhead"))
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why == "" {
			t.Errorf("%s is %v", name, v.Raw)
		}
	}
}
