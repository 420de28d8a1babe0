package services

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go/tracing"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// TestAnswersThatLackWhatEachHas calls a server that says that all went well, and nothing more, which
// the SDK takes for an answer.
func TestAnswersThatLackWhatEachHas(t *testing.T) {
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

// The SDK closes a request's body when it has the answer, and net/http may look into it later.
func TestAClosedBodyIsAtItsEnd(t *testing.T) {
	made := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	made, err := made.SetStream(strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	req := made.Build(t.Context())
	if _, itself := req.Body.(io.WriterTo); !itself {
		t.Skip("the SDK's body has changed: PlainBody may go")
	}
	PlainBody(req)
	if text, err := io.ReadAll(io.LimitReader(req.Body, 4)); err != nil || string(text) != "body" {
		t.Fatalf("%q, %v", text, err)
	}
	_ = req.Body.Close()
	if n, err := io.Copy(io.Discard, req.Body); n != 0 || err != nil {
		t.Errorf("%d bytes more, %v", n, err)
	}
}

// An event of which the answer says nothing was not taken.
func TestAnEventWithoutAnAnswer(t *testing.T) {
	if err := refusedEvent(nil); err == nil {
		t.Error("taken")
	}
}
