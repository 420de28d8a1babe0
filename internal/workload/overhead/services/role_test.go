package services

import (
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// TestRoleIsCreatedAndDeleted has the requests to IAM, which are written by hand, read by moto.
func TestRoleIsCreatedAndDeleted(t *testing.T) {
	address := peertest.Moto(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s := standAt(t, address)
	s.remote.iamAt = address + "/"
	if err := setUpRole(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	get := func() error { return s.iam(t.Context(), url.Values{"Action": {"GetRole"}, "RoleName": {s.name()}}) }
	if err := get(); err != nil || !strings.HasSuffix(s.role, s.name()) {
		t.Errorf("%s is not made: %v", s.role, err)
	}
	if left := s.Clear(t.Context()); len(left) > 0 || !missing(get()) {
		t.Errorf("not removed: %v, %v", left, get())
	}
}
