package overhead

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

func TestARunMeasuresEachOperation(t *testing.T) {
	s := &servicestest.Responder{}
	url := servicestest.Serve(t, s)
	l := newLab(t, func(p *Plan) { p.Endpoint = url }, "s3", "s3express", "dynamodb/GetItem", "STS/getcalleridentity")
	run, result := l.run(t)
	if run == nil || result.Failure != nil || result.Failed != nil || len(result.Left) > 0 {
		t.Fatalf("%+v", result)
	}
	var names []string
	for _, r := range result.Rows {
		names = append(names, r.Service+"/"+r.Operation)
		if r.Overhead.N != 20 || r.SDKTime.N != 20 || r.Unseen != 0 || r.Failed != 0 || r.Timed != 3 {
			t.Errorf("%s: %+v", r.Operation, r)
		}
		if r.Client.N != 20 || r.Call.N != 20 || instrument.ProcessTime() > 0 && (r.CPUCalls != 20 || r.CPU <= 0) {
			t.Errorf("%s: %+v", r.Operation, r)
		}
		if r.SDKTime.Min <= 0 || r.SDKTime.Max > r.Overhead.Max {
			t.Errorf("%s: SDK time from %d to %d, overhead up to %d",
				r.Operation, r.SDKTime.Min, r.SDKTime.Max, r.Overhead.Max)
		}
		for stage, spent := range r.Stages {
			// What is left over of a call can be nothing, when its stages touch.
			if spent < 0 || spent == 0 && stage < 3 {
				t.Errorf("%s: stage %d took %v", r.Operation, stage, spent)
			}
		}
		within(t, "allocations of "+r.Operation, r.Allocations, 100, 5000)
		within(t, "bytes of "+r.Operation, r.AllocatedBytes, 5000, 500_000)
		t.Logf("%s/%s overhead %v sdk %v stages %v alloc %.0f %.0f",
			r.Service, r.Operation, r.Overhead.Percentiles(0, .5), r.SDKTime.Percentiles(0, .5), r.Stages,
			r.Allocations, r.AllocatedBytes)
	}
	want := []string{"S3/HeadObject", "S3/PutObject", "S3Express/PutObject", "S3Express/GetObject",
		"STS/GetCallerIdentity", "DynamoDB/GetItem"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if n := result.Null; n == nil || n.Overhead.N != 20 || n.Allocations > result.Rows[0].Allocations/2 {
		t.Errorf("the null client: %+v", n)
	} else {
		t.Logf("null overhead %v sdk %v alloc %.0f",
			n.Overhead.Percentiles(0, .5), n.SDKTime.Percentiles(0, .5), n.Allocations)
	}
	for operation, want := range map[string]int{"PUT bucket": 2, "DELETE bucket": 2, "DELETE object": 2,
		"DynamoDB CreateTable": 1, "DynamoDB DeleteTable": 1} {
		if got := s.Counted(operation); got != want {
			t.Errorf("%s was called %d times, want %d", operation, got, want)
		}
	}
}
