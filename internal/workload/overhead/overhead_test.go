package overhead

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

func TestRunMeasuresEachOperation(t *testing.T) {
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
		if r.Client.N != 20 || r.Call.N != 20 || instrument.ProcessTime() > 0 && r.CPUCalls != 20 {
			t.Errorf("%s: %+v", r.Operation, r)
		}
		if r.SDKTime.Min < 0 || r.SDKTime.Max > r.Overhead.Max {
			t.Errorf("%s: SDK time from %d to %d, overhead up to %d",
				r.Operation, r.SDKTime.Min, r.SDKTime.Max, r.Overhead.Max)
		}
		for stage, spent := range r.Stages {
			if spent < 0 {
				t.Errorf("%s: stage %d took %v", r.Operation, stage, spent)
			}
		}
		if r.Allocations <= 0 || r.AllocatedBytes <= 0 {
			t.Errorf("%s: %v allocations of %v bytes", r.Operation, r.Allocations, r.AllocatedBytes)
		}
	}
	want := []string{"S3/HeadObject", "S3/PutObject", "S3Express/PutObject", "S3Express/GetObject",
		"STS/GetCallerIdentity", "DynamoDB/GetItem"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if n := result.Null; n == nil || n.Overhead.N != 20 {
		t.Errorf("the null client: %+v", n)
	}
	for operation, want := range map[string]int{"PUT bucket": 2, "DELETE bucket": 2, "DELETE object": 2,
		"DynamoDB CreateTable": 1, "DynamoDB DeleteTable": 1} {
		if got := s.Counted(operation); got != want {
			t.Errorf("%s was called %d times, want %d", operation, got, want)
		}
	}
}
