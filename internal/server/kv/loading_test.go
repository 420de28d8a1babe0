package kv

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta/files"
)

// slowData is a directory of which the file at the end is opened when somebody lets it.
type slowData struct {
	Directory
	last    string
	reached chan struct{} // closed when it is to be opened
	open    chan struct{}
}

func (d slowData) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == d.last {
		close(d.reached)
		select {
		case <-d.open:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return d.Directory.Open(ctx, name)
}

// slowlyLoading is a server with two files, of which the second is not loaded yet. listened has what Listen returns.
func slowlyLoading(ctx context.Context, t *testing.T) (s *Server, data slowData, listened chan error) {
	t.Helper()
	dir := t.TempDir()
	data = slowData{Directory(dir), files.Name(2, files.CSV), make(chan struct{}), make(chan struct{})}
	writeData(t, dir, files.Name(1, files.CSV), columns+row("a", "UPDATE", 1, "1")+row("b", "UPDATE", 1, "2"))
	writeData(t, dir, data.last, columns+row("a", "UPDATE", 2, "3"))
	cfg := Default()
	cfg.Subscription, cfg.Memory = "test", 1<<26
	s, err := New(cfg, Source{Topic: newMemory(), URL: "memory://test", Data: []Data{data}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listened = make(chan error, 1)
	go func() { listened <- s.Listen(ctx) }()
	<-data.reached
	return s, data, listened
}

// asks asks over the network.
func asks(t *testing.T, client *http.Client, url string) (r *http.Response, body string) {
	t.Helper()
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(text)
}

// TestRequestsAreAnsweredWhileDataLoads: health by how far it is, and the others by 503.
func TestRequestsAreAnsweredWhileDataLoads(t *testing.T) {
	s, data, listened := slowlyLoading(t.Context(), t)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	r, text := asks(t, client, s.URL()+"/health")
	var h loadingHealth
	if err := json.Unmarshal([]byte(text), &h); err != nil || r.StatusCode != http.StatusServiceUnavailable ||
		r.Header.Get("Retry-After") == "" || h.Status != "loading" || h.Loading != (Loading{Files: 1, Of: 2, Rows: 2}) ||
		h.Doing != "loading the data: 1 of 2 files, 2 rows" {
		t.Errorf("%d, %+v, %v", r.StatusCode, h, err)
	}
	for _, c := range []struct {
		path        string
		while, then int
		says        string
	}{
		{"/health/live", 200, 200, `"status":"loading"`},
		{"/metrics", 200, 200, "\nplimsoll_kv_keys 2\n"},
		{"/v1/getvalues?keys=a", 503, 200, "not ready: loading the data: 1 of 2 files"},
		{"/v1/info", 503, 200, "not ready"},
		{"/v1/runs/7", 503, 200, "not ready"},
		{"/health", 503, 200, "loading"},
	} {
		if r, text := asks(t, client, s.URL()+c.path); r.StatusCode != c.while || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d and %q", c.path, r.StatusCode, text, c.while, c.says)
		}
	}
	close(data.open)
	if err := <-listened; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	for path, want := range map[string]string{"/health": `"status":"ok"`, "/health/live": `"status":"ready"`,
		"/v1/getvalues?keys=a": `{"keys":{"a":{"value":"3"}}}`} {
		if r, text := asks(t, client, s.URL()+path); r.StatusCode != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s when it is ready: %d %s", path, r.StatusCode, text)
		}
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestShutdownWhileLoading has nobody who answers any more.
func TestShutdownWhileLoading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _, listened := slowlyLoading(ctx, t)
	address := strings.TrimPrefix(s.URL(), "http://")
	cancel()
	if err := <-listened; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		t.Error("the port is still open")
	}
}
