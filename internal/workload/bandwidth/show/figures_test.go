package show

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are what the report shows, and say why where there is none.
func TestMetricsOfBandwidth(t *testing.T) {
	d := &rundoc.BandwidthDetail{Upload: &rundoc.Transfer{Files: 1, Bytes: 10, BytesPerS: 123.5, Failed: 2},
		Download: &rundoc.Transfer{FirstBlockNS: 7e6, Reopened: 4}}
	run := &rundoc.Run{Workload: "bandwidth", Detail: d, Generator: rundoc.Generator{CPUUserNS: 20, CPUSystemNS: 10}, Operations: []rundoc.Operation{
		{Name: rundoc.OperationUploadBlock, ServiceTime: rundoc.Summary{Count: 3, MinNS: 1, MeanNS: 2, MaxNS: 9}}}}
	known := Kind().Known("bandwidth")
	for name, want := range map[string]float64{
		"upload": 123.5, "upload.not_completed": 2, "upload.block.max": 9, "download.first_block": 7e6, "download.reopened": 4,
		"cpu_per_gib": 3 << 30,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	if spec, _ := figure.Parse("download", known); spec.Of(run).Why != "no file completed" {
		t.Error("a download without a file has a bandwidth")
	}
	run.Generator = rundoc.Generator{}
	if spec, _ := figure.Parse("cpu_per_gib", known); spec.Of(run).Why == "" {
		t.Error("what nobody measured is a figure")
	}
	for _, name := range headline() {
		if _, err := figure.Parse(name, known); err != nil {
			t.Error(err)
		}
	}
}
