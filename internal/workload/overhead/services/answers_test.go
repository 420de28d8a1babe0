package services

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/smithy-go/tracing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// TestIncompleteResponsesAreErrors calls a server that says that all went well, and nothing more, which
// the SDK takes for an answer.
func TestIncompleteResponsesAreErrors(t *testing.T) {
	for said, fine := range map[string][]string{
		"":   {"CloudWatch/PutMetricData"},
		"{}": {"DynamoDB/GetItem", "DynamoDB/PutItem", "Pinpoint/GetEndpoint", "Pinpoint/PutEvents"},
	} {
		url := servicestest.Serve(t, &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
			if operation == "session" {
				return false
			}
			fmt.Fprint(w, said)
			return true
		}})
		s := standAt(t, url)
		s.bucket, s.express, s.topic, s.role = "plimsoll-bucket", "plimsoll--usw2-az1--x-s3",
			"arn:aws:sns:us-west-2:000000000000:topic", anyRole
		s.bus, s.table, s.application, s.secret = "bus", "table", "application", "secret"
		for _, kind := range Catalog() {
			for i, call := range kind.Open(s.cfg, tracing.NopTracerProvider{}, s) {
				name, err, cause := kind.Name+"/"+kind.Operations[i], call(t.Context()), ""
				if err != nil {
					cause = CauseOf(err)
				}
				if slices.Contains(fine, name) != (err == nil) || err != nil && cause != causeProtocol {
					t.Errorf("%q is an answer to %s: %s %v", said, name, cause, err)
				}
			}
		}
	}
}

// An event of which the answer says nothing was not taken.
func TestEventWithoutResponseIsRefused(t *testing.T) {
	if err := refusedEvent(nil); err == nil {
		t.Error("taken")
	}
}
