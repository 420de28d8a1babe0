package s3

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// A body stands still once, in its middle, and no other body does.
func TestStallHappensOnceInTheMiddleOfABody(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int
		each  int // how much is asked for at a time
		turns int // which upload of the server it is
		want  []int
	}{
		{"PutObject", 10, 3, 1, []int{5}}, {"UploadPart", 10, 100, 1, []int{5}}, {"PutObject", 1, 1, 1, []int{1}},
		{"PutObject", 11, 1, 1, []int{5}}, {"PutObject", 0, 1, 1, nil}, {"PutObject", 10, 3, 2, nil}, {"GetObject", 10, 3, 1, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &Server{cfg: Default(), alarms: wake.NewPortable()}
			defer s.alarms.Close()
			s.metrics = newMetrics(&s.data, &s.memory)
			s.cfg.StallPart, s.cfg.StallFor = 1, time.Hour
			s.puts.Store(int64(tt.turns - 1))
			r := httptest.NewRequest("PUT", "/abc/k", bytes.NewReader(noise(tt.size)))
			x := &request{s: s, w: httptest.NewRecorder(), r: r, ctx: t.Context(), name: tt.name}
			var stalls []int
			got := 0
			for {
				begun := time.Now()
				n, err := x.body().Read(make([]byte, tt.each))
				got += n
				switch took := time.Since(begun); took {
				case 0:
				case time.Hour:
					stalls = append(stalls, got)
				default:
					t.Errorf("it stood still for %v", took)
				}
				if err != nil {
					if err != io.EOF || x.received != time.Now() {
						t.Errorf("%v, at %v", err, x.received)
					}
					break
				}
			}
			if n, err := x.body().Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("behind the end: %d, %v", n, err)
			}
			if got != tt.size || !slices.Equal(stalls, tt.want) {
				t.Errorf("%+v: %d bytes, it stood still at %v", tt, got, stalls)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // nobody waits for it any more
		s := &Server{cfg: Default(), alarms: wake.NewPortable()}
		defer s.alarms.Close()
		s.metrics = newMetrics(&s.data, &s.memory)
		s.cfg.StallPart, s.cfg.StallFor = 1, time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := httptest.NewRequest("PUT", "/abc/k", strings.NewReader("0123456789"))
		x := &request{s: s, w: httptest.NewRecorder(), r: r, ctx: ctx, name: "PutObject"}
		begun := time.Now()
		n, err := x.body().Read(make([]byte, 10))
		if n != 5 || err != errGone || time.Since(begun) != time.Second {
			t.Errorf("%d, %v after %v", n, err, time.Since(begun))
		}
	})
}

// A reset comes when half of the body has, or half of the answer has gone, or before an answer without a body.
func TestResetHappensInTheMiddleOfABody(t *testing.T) {
	s := serve(t, open)
	raw(t, s, "PUT", "/plimsoll/k", string(noise(1001)))
	raw(t, s, "PUT", "/plimsoll/none", "")
	s.cfg.ResetRate = 1 // no request is in flight
	counts := func() (received, sent string) {
		settle(s)
		return metric(t, s, `plimsoll_s3_bytes_total{direction="received"}`), metric(t, s, `plimsoll_s3_bytes_total{direction="sent"}`)
	}
	for _, tt := range []struct {
		method, target string
		size           int
		received, sent string
		got            int
	}{
		{"PUT", "/plimsoll/k", 1000, "1501", "0", 0}, {"PUT", "/plimsoll/k", 1, "1502", "0", 0}, {"PUT", "/plimsoll/k", 3, "1503", "0", 0},
		{"PUT", "/plimsoll/k", 0, "1503", "0", 0}, {"HEAD", "/plimsoll/k", 0, "1503", "0", 0}, {"GET", "/plimsoll/absent", 0, "1503", "0", 0},
		{"POST", "/plimsoll/k", 5, "1505", "0", 0},
	} {
		status, data := tryOnce(t, s, tt.method, tt.target, noise(tt.size))
		received, sent := counts()
		if status != "cut" || received != tt.received || sent != tt.sent || len(data) != tt.got {
			t.Errorf("%+v: %s, %d bytes; %s received and %s sent", tt, status, len(data), received, sent)
		}
	}
	status, data := tryOnce(t, s, "GET", "/plimsoll/k", nil)
	if _, sent := counts(); status != "cut" || sent != "500" || len(data) > 500 {
		t.Errorf("%s, %d bytes, %s sent", status, len(data), sent)
	}
	if status, _ := tryOnce(t, s, "GET", "/plimsoll/none", nil); status != "200" { // there is no middle of it
		t.Error(status)
	}
	if got := metric(t, s, `plimsoll_s3_faults_injected_total{kind="reset"}`); got != "8" {
		t.Errorf("%s resets", got)
	}
}

// tryOnce is try with a client that does not ask again by itself.
func tryOnce(t *testing.T, s *Server, method, target string, body []byte) (string, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+target, struct{ io.Reader }{bytes.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(len(body))
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "cut", nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return "cut", data
	}
	return resp.Status[:3], data
}

// A server with a rate moves the same data, and knows when nothing is on its way any more.
func TestPacedServer(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.Bandwidth = 2e9 })
	data := noise(3<<20 + 17)
	for i, tt := range []struct{ method, target, body, want string }{
		{"PUT", "/plimsoll/k", string(data), "200"}, {"GET", "/plimsoll/k", "", "200"}, {"PUT", "/nobody/k", string(data), "404"},
		{"PUT", "/plimsoll/none", "", "200"}, {"GET", "/plimsoll/none", "", "200"}, {"DELETE", "/plimsoll/none", "", "204"},
	} {
		status, got := try(t, s, tt.method, tt.target, []byte(tt.body))
		if status != tt.want || i == 1 && !bytes.Equal(got, data) {
			t.Errorf("%s %s: %s, %d bytes", tt.method, tt.target, status, len(got))
		}
		settle(s)
		if s.inbound.active != 0 || s.outbound.active != 0 {
			t.Errorf("%s %s: %d and %d are on their way", tt.method, tt.target, s.inbound.active, s.outbound.active)
		}
	}
	if got := metric(t, s, `plimsoll_s3_bytes_total{direction="received"}`); got != "6.29149e+06" {
		t.Errorf("%s bytes were received", got)
	}
}

// An answer that cannot be ended well is cut off, and what is wrong is said where none has begun.
func TestMissingDataFailsTheRequest(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, func(c *Config) { open(c); c.Dir = dir })
	raw(t, s, "PUT", "/plimsoll/k", "text")
	names, err := filepath.Glob(filepath.Join(dir, "data", "*", "*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	if status, _ := tryOnce(t, s, "GET", "/plimsoll/k", nil); status != "cut" {
		t.Error(status)
	}
	s.cfg.CorruptRate = 1 // no request is in flight
	if status, _ := tryOnce(t, s, "GET", "/plimsoll/k", nil); status != "cut" {
		t.Error(status)
	}
	if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := raw(t, s, "PUT", "/plimsoll/l", "text"); got.code() != "InternalError" || got.status != 500 {
		t.Errorf("%+v", got)
	}
	if used := s.data.Used(); used != 4 {
		t.Errorf("%d bytes are used", used)
	}
	for method, want := range map[string]string{"HeadObject": "200", "GetObject": "200", "PutObject": "500"} { // as far as they came
		if got := metric(t, s, `plimsoll_s3_requests_total{operation="`+method+`",status="`+want+`"}`); (got == "absent") != (method == "HeadObject") {
			t.Errorf("%s: %s", method, got)
		}
	}
}
