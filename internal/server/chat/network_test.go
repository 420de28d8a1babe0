package chat

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	dto "github.com/prometheus/client_model/go"
)

// metric is a counter's value as /metrics shows it.
func metric(t *testing.T, s *Server, name string) int {
	t.Helper()
	_, body, _ := web(t, s, "GET", "/metrics")
	for line := range strings.SplitSeq(body, "\n") {
		if value, found := strings.CutPrefix(line, name+" "); found {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
	}
	t.Fatalf("no %s in\n%s", name, body)
	return 0
}

func TestMetricsCount(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxConnections = 1 })
	c := dial(t, s)
	if _, _, err := websocket.DefaultDialer.Dial(s.URL(), nil); err == nil {
		t.Fatal("no limit")
	}
	sent, got := 0, 0
	for _, text := range []string{valid, valid, strings.Replace(valid, "TEXT", "join", 1),
		strings.Replace(valid, "17,", "0,", 1), `{"messageType":"LEAVE"}`, "{", "[]"} {
		sent += len(text)
		send(t, c, text)
		got += len(receive(t, c))
	}
	for name, want := range map[string]int{
		"plimsoll_chat_connections_open":                                  1,
		`plimsoll_chat_connections_total{outcome="accepted"}`:             1,
		`plimsoll_chat_connections_total{outcome="refused"}`:              1,
		`plimsoll_chat_messages_total{outcome="ok",type="text"}`:          2,
		`plimsoll_chat_messages_total{outcome="ok",type="join"}`:          1,
		`plimsoll_chat_messages_total{outcome="rejected",type="text"}`:    1,
		`plimsoll_chat_messages_total{outcome="rejected",type="leave"}`:   1,
		`plimsoll_chat_messages_total{outcome="rejected",type="invalid"}`: 2,
		`plimsoll_chat_validation_errors_total{rule="userId"}`:            2,
		`plimsoll_chat_validation_errors_total{rule="username"}`:          1,
		`plimsoll_chat_validation_errors_total{rule="json"}`:              1,
		`plimsoll_chat_validation_errors_total{rule="object"}`:            1,
		`plimsoll_chat_validation_errors_total{rule="frame"}`:             0,
		`plimsoll_chat_bytes_total{direction="received"}`:                 sent,
		`plimsoll_chat_faults_injected_total{kind="drop"}`:                0,
	} {
		if value := metric(t, s, name); value != want {
			t.Errorf("%s %d, want %d", name, value, want)
		}
	}
	for metric(t, s, `plimsoll_chat_bytes_total{direction="sent"}`) != got {
		// The last reply is counted after it has left; so is the time that it took.
	}
	for metric(t, s, "plimsoll_chat_processing_seconds_count") != 7 {
	}
	var h dto.Metric
	if err := s.responder.metrics.processing.Write(&h); err != nil {
		t.Fatal(err)
	}
	if len(h.GetHistogram().GetPositiveSpan()) == 0 {
		t.Error("the processing time is not a native histogram")
	}
}

// TestDropsAreSeenAsTheyAreCounted is what a client that reports closed-by-peer:1006 relies on.
func TestDropsAreSeenAsTheyAreCounted(t *testing.T) {
	s := serve(t, func(c *Config) { c.DropRate = 0.1 })
	seen, answered := 0, 0
	for answered < 200 {
		c := dial(t, s)
		for answered < 200 {
			send(t, c, valid)
			if _, _, err := c.ReadMessage(); err != nil {
				if closed := (*websocket.CloseError)(nil); !errors.As(err, &closed) || closed.Code != 1006 {
					t.Fatalf("a drop shows as %v", err)
				}
				seen++
				break
			}
			answered++
		}
		_ = c.Close()
	}
	want := 0
	for n := range uint64(seen + answered) {
		if s.cfg.decide(n).fault == drop {
			want++
		}
	}
	counted := metric(t, s, `plimsoll_chat_faults_injected_total{kind="drop"}`)
	if seen == 0 || seen != counted || seen != want {
		t.Errorf("%d drops were seen, %d counted, the seed says %d", seen, counted, want)
	}
}
