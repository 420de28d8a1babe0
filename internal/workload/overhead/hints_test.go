package overhead

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What to do depends on what the server did, and both clients call it the same.
func TestHintsForWhatTheServerAnswers(t *testing.T) {
	for status, want := range map[int]string{
		301: "the server sends its clients elsewhere", 404: "see whether the server has this operation",
		429: "limits how often it is called",
		500: "the server failed: see its log", 503: "limits how often it is called",
	} {
		url := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		l := newLab(t, func(p *Plan) { p.Endpoint = url }, "STS/GetCallerIdentity")
		_, result := l.run(t)
		f := result.Failed
		if f == nil || !strings.Contains(f.Hint(), want) {
			t.Errorf("%d: %+v", status, f)
			continue
		}
		if null := causeOf(statusError(status)); null != f.Cause {
			t.Errorf("%d: %s of the SDK, %s of the null client", status, f.Cause, null)
		}
	}
}

// A file of the SDK's settings that is not there is no want of credentials.
func TestSettingsThatCannotBeRead(t *testing.T) {
	t.Setenv("AWS_CA_BUNDLE", filepath.Join(t.TempDir(), "none.pem"))
	p := DefaultPlan()
	p.Endpoint, p.Timeout = "http://127.0.0.1:1", time.Second
	_, err := Connect(t.Context(), t.Context(), &p, p.Endpoint, nil)
	f, ok := err.(*Failure)
	if !ok || f.Cause != causeSettings || !strings.Contains(f.Error(), "settings of the SDK: open ") ||
		!strings.Contains(f.Hint(), "AWS_CA_BUNDLE") {
		t.Errorf("%+v", err)
	}
}
