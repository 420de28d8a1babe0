package overhead

import (
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// What to do depends on what the server did, and both clients call it the same.
func TestHintsForWhatTheServerAnswers(t *testing.T) {
	for status, want := range map[int]string{
		301: "the server sends its clients elsewhere", 404: "see whether the server has this operation",
		429: "limits how often it is called",
		500: "the server failed: see its log", 503: "limits how often it is called",
	} {
		url := servicestest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		l := newLab(t, func(p *Plan) { p.Endpoint = url }, "STS/GetCallerIdentity")
		_, result := l.run(t)
		f := result.Failed
		if f == nil || !strings.Contains(f.Hint(), want) {
			t.Errorf("%d: %+v", status, f)
			continue
		}
		if null := services.CauseOf(services.StatusError(status)); null != f.Cause {
			t.Errorf("%d: %s of the SDK, %s of the null client", status, f.Cause, null)
		}
	}
}
