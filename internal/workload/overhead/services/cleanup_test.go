package services

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// What a service says that was not created is not removed.
func TestRefusedCreationIsNotDeleted(t *testing.T) {
	for code, want := range map[string]bool{
		"AccessDeniedException": true, "BucketAlreadyOwnedByYou": false, "ResourceExistsException": false,
		"ResourceInUseException": false,
	} {
		url := servicestest.Serve(t, &servicestest.Responder{Answer: func(w http.ResponseWriter, _ string) bool { return servicestest.Refuse(w, code) }})
		st := standAt(t, url)
		if err := setUpDynamoDB(t.Context(), st); err == nil || (len(st.made) == 0) != want {
			t.Errorf("%s: %v, to be removed %d", code, err, len(st.made))
		}
	}
}

// An interrupt does not cut off the call that creates something, and is obeyed before the next one.
func TestInterruptWaitsForCreation(t *testing.T) {
	st := standAt(t, "http://127.0.0.1:1")
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	st.Creating = func(what string) { told = append(told, what) }
	create := func(bounded context.Context) error {
		cancel()
		return bounded.Err()
	}
	remove := func(context.Context) error { return nil }
	if err := st.create(ctx, "Create", "a thing", create, remove); err != nil || len(st.made) != 1 {
		t.Errorf("%v, to be removed: %d", err, len(st.made))
	}
	if err := st.do(ctx, "Next", create); err != context.Canceled {
		t.Errorf("%v after the interrupt", err)
	}
	if !slices.Equal(told, []string{"a thing"}) {
		t.Errorf("told %q", told)
	}
}

// A table that is being made cannot be deleted at once, nor a bucket into which an object came late.
func TestCleanupRetries(t *testing.T) {
	var left atomic.Int64
	left.Store(3)
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		switch {
		case operation == "DynamoDB DeleteTable" && left.Add(-1) > 0:
			return servicestest.Refuse(w, "ResourceInUseException")
		case operation == "DELETE bucket" && left.Add(-1) > 0:
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, "<Error><Code>BucketNotEmpty</Code></Error>")
			return true
		}
		return false
	}}
	for operation, setUp := range map[string]func(context.Context, *Stand) error{"DynamoDB DeleteTable": setUpDynamoDB,
		"DELETE bucket": setUpS3} {
		left.Store(3)
		st := standAt(t, servicestest.Serve(t, s))
		if err := setUp(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		if not := st.Clear(t.Context()); len(not) > 0 || s.Counted(operation) != 3 {
			t.Errorf("%s: %q after %d", operation, not, s.Counted(operation))
		}
	}
	if n := s.Counted("DELETE object"); n != 3 {
		t.Errorf("the object was deleted %d times", n)
	}
}

// A secret is not kept for the thirty days in which it could be restored.
func TestSecretIsDeletedWithoutRecovery(t *testing.T) {
	s := &servicestest.Responder{}
	st := standAt(t, servicestest.Serve(t, s))
	if err := setUpSecrets(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	_ = st.Clear(t.Context())
	if body := s.Body("secretsmanager DeleteSecret"); !strings.Contains(body, `"ForceDeleteWithoutRecovery":true`) {
		t.Errorf("deleted by %q", body)
	}
}

// A topic whose answer was lost is found without creating it again.
func TestTopicOfALostResponseIsDeleted(t *testing.T) {
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		switch operation {
		case "CreateTopic":
			panic(http.ErrAbortHandler)
		case "GetCallerIdentity":
			fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws-cn:iam::123456789012:user/me</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
			return true
		}
		return false
	}}
	st := standAt(t, servicestest.Serve(t, s))
	if err := setUpSNS(t.Context(), st); err == nil {
		t.Fatal("it went well")
	}
	if left := st.Clear(t.Context()); len(left) > 0 || s.Counted("CreateTopic") != setUpAttempts {
		t.Errorf("%q; created %d times", left, s.Counted("CreateTopic"))
	}
	form, _ := url.ParseQuery(s.Body("DeleteTopic"))
	if got, want := form.Get("TopicArn"), "arn:aws-cn:sns:us-west-2:123456789012:"+st.name(); got != want {
		t.Errorf("deleted %q, want %q", got, want)
	}
}

// IAM is asked again when it is busy, and what it refuses for good was not made.
func TestIAMRetries(t *testing.T) {
	var n atomic.Int64
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		busy := n.Add(1)
		switch {
		case operation == "DeleteRole" && busy == 1:
			panic(http.ErrAbortHandler)
		case operation == "DeleteRole" && busy == 2:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		case operation == "CreateRole":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w,
				"<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>")
			return true
		}
		return false
	}}
	st := standAt(t, servicestest.Serve(t, s))
	st.remote.iamAt = st.remote.Endpoint + "/"
	if err := st.iam(t.Context(), url.Values{"Action": {"DeleteRole"}}); err != nil || s.Counted("DeleteRole") != 3 {
		t.Errorf("%v after %d", err, s.Counted("DeleteRole"))
	}
	err := setUpRole(t.Context(), st)
	if f, ok := err.(*Failure); !ok || f.Cause != "AccessDenied" || len(st.made) != 0 || s.Counted("CreateRole") != 1 {
		t.Errorf("%v, to be removed %d, asked %d times", err, len(st.made), s.Counted("CreateRole"))
	}
}

// A region of AWS without directory buckets is told, and nothing is created in another one.
func TestRegionWithoutDirectoryBucketsIsAnError(t *testing.T) {
	s := &servicestest.Responder{}
	st := standAt(t, servicestest.Serve(t, s))
	st.cfg.Region, st.remote.Real = "sa-east-1", true
	err := setUpExpress(t.Context(), st)
	if f, ok := err.(*Failure); !ok || !strings.Contains(f.Error(), "sa-east-1") ||
		!strings.Contains(f.Hint(), "--region") || s.Total() > 0 {
		t.Errorf("%v; %d requests", err, s.Total())
	}
	st.remote.Real = false
	if err := setUpExpress(t.Context(), st); err != nil || !strings.Contains(st.express, "--"+anyZone+"--") {
		t.Errorf("%v, %s", err, st.express)
	}
}
