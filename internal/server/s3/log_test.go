package s3

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// What goes wrong in the server is logged, and no client's doing, nor what was asked for.
func TestLogsServerFailuresOnly(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want int
	}{
		"a broken disk": {errors.New("odd"), 1}, "a body that ends early": {io.ErrUnexpectedEOF, 0},
		"no key":  {refusal.NoSuchKey("k"), 0},
		"a fault": {refusal.New(http.StatusInternalServerError, "InternalError", "We encountered an internal error."), 0},
	} {
		var log bytes.Buffer
		s := &Server{cfg: Default(), log: slog.New(slog.NewTextHandler(&log, nil))}
		s.metrics = newMetrics(&s.data, &s.memory)
		w := httptest.NewRecorder()
		x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: t.Context()}
		x.fail(c.err)
		if got := strings.Count(log.String(), "request failed"); got != c.want || x.status < 400 || w.Body.Len() == 0 {
			t.Errorf("%s: logged %d times, status %d", what, got, x.status)
		}
	}
}
