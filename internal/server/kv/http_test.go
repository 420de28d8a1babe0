package kv

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/server"
)

// stocked is a server with some values, that receives nothing.
func stocked(t testing.TB) *Server {
	t.Helper()
	m := newMemory()
	cfg := Default()
	cfg.Memory, cfg.Subscription = 1<<28, "test"
	s, err := New(cfg, Source{Topic: m, URL: "memory://test", Version: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.sub, s.receivers = m, []*listener{{s: s}}
	t.Cleanup(s.release)
	rows := []delta.Row{
		update("a", "1", 1), update("b", `quoted "x"`, 1), update("a,b", "comma", 1), update("bytes", "\xff\x00", 1),
		{Key: []byte("set"), Value: delta.AppendSet(nil, "x", "y z"), Type: delta.Set, Commit: 1},
		{Key: []byte("byteset"), Value: delta.AppendSet(nil, "\xfe", "y"), Type: delta.Set, Commit: 1},
		{Key: []byte("empty"), Type: delta.Set, Commit: 1}, update("nothing", "", 1),
		{Key: []byte("gone"), Kind: delta.Delete, Commit: 1},
	}
	p := s.registry.use(delta.Publisher{Run: 9})
	defer s.registry.release(p)
	if _, err := s.store.Apply(batchOf(p, 0), rows); err != nil {
		t.Fatal(err)
	}
	return s
}

func body(t *testing.T, s *Server, method, path, text string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(text)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestGetValues(t *testing.T) {
	s := stocked(t)
	const missing = `{"status":{"code":404,"message":"the key has no value"}}`
	for _, c := range []struct {
		query string
		code  int
		want  string
	}{
		{"keys=a", 200, `{"keys":{"a":{"value":"1"}}}`},
		{"keys=a,x,gone", 200, `{"keys":{"a":{"value":"1"},"x":` + missing + `,"gone":` + missing + `}}`},
		{"keys=a&keys=b,a", 200, `{"keys":{"a":{"value":"1"},"b":{"value":"quoted \"x\""}}}`},
		{"keys=a%2Cb", 200, `{"keys":{"a,b":{"value":"comma"}}}`},
		{"keys=set,empty,nothing", 200,
			`{"keys":{"set":{"value":["x","y z"]},"empty":{"value":[]},"nothing":{"value":""}}}`},
		{"keys=bytes,byteset", 200,
			`{"keys":{"bytes":{"value_base64":"/wA="},"byteset":{"value_base64":["eQ==","/g=="]}}}`},
		{"hostname=example.com&keys=a&renderUrls=b", 200,
			`{"keys":{"a":{"value":"1"}},"renderUrls":{"b":{"value":"quoted \"x\""}}}`},
		{"", 400, `no key`},
		{"keys=", 400, `no key`},
		{"keys=,,", 400, `no key`},
		{"key=a", 400, `no keys: \"key\" is not a key parameter; write keys=a,b`},
		{"hostname=example.com&slotSize=100,200", 400, `no keys: write`},
		{"keys=a&slotSize=100,200&x=y,z&&w", 200, `{"keys":{"a":{"value":"1"}}}`},
		{"x=" + strings.Repeat("k,", maxKeys+1) + "&keys=a", 200, `{"keys":{"a":{"value":"1"}}}`},
		{"keys=%zz", 400, `invalid key in keys`},
		{"keys=" + strings.Repeat("k,", maxKeys+1), 400, "more than"},
	} {
		code, got := body(t, s, "GET", "/v1/getvalues?"+c.query, "")
		if code != c.code || c.code == 200 && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%.60s: %d %s, want %d %s", c.query, code, got, c.code, c.want)
		}
	}
}

func TestGetPartitions(t *testing.T) {
	s := stocked(t)
	for _, c := range []struct {
		name, body string
		code       int
		want       string
	}{
		{
			"as the API has it", `{"metadata":{"hostname":"example.com"},"partitions":[
				{"id":0,"compressionGroupId":0,"arguments":[{"tags":["structured","groupNames"],"data":["a"]},{"tags":["custom","keys"],"data":["set","x"]}]},
				{"id":1,"compressionGroupId":1,"arguments":[{"tags":["keys"],"data":["b","b"]}]},
				{"id":2,"compressionGroupId":0,"arguments":[]}]}`, 200,
			`[{"compressionGroupId":0,"partitions":[` +
				`{"id":0,"keyGroupOutputs":[{"tags":["structured","groupNames"],"keyValues":{"a":{"value":"1"}}},{"tags":["custom","keys"],"keyValues":{"set":{"value":["x","y z"]}}}]},` +
				`{"id":2,"keyGroupOutputs":[]}]},` +
				`{"compressionGroupId":1,"partitions":[{"id":1,"keyGroupOutputs":[{"tags":["keys"],"keyValues":{"b":{"value":"quoted \"x\""}}}]}]}]`,
		},
		{
			"as its first drafts had it",
			`{"partitions":[{"id":7,"compressionGroup":3,"keyGroups":[{"tags":["keys"],"keyList":["a"]}]}]}`, 200,
			`[{"compressionGroupId":3,"partitions":[{"id":7,"keyGroupOutputs":[{"tags":["keys"],"keyValues":{"a":{"value":"1"}}}]}]}]`,
		},
		{"no partition", `{}`, 400, "0 partitions"},
		{"no JSON", `{"partitions":`, 400, "not a valid request"},
		{"two of an id", `{"partitions":[{"id":1},{"id":1}]}`, 400, "two partitions have the ID 1"},
		{"too many keys", `{"partitions":[{"id":1,"arguments":[{"data":["` + strings.Repeat(`k","`, maxKeys) +
			`k"]}]}]}`, 400, "10001 keys"},
		{"too long", `{"partitions":[{"id":1,"arguments":[{"data":["` + strings.Repeat("k", maxPartitionsBody) +
			`"]}]}]}`, 413, "too large"},
	} {
		code, got := body(t, s, "PUT", "/v2/getvalues", c.body)
		if code != c.code || c.code == 200 && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %.300s, want %d %s", c.name, code, got, c.code, c.want)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	s := stocked(t)
	keys := []string{"a", "b", "set"}
	for _, limit := range []int{40, 400} {
		l := s.lookups()
		l.limit = limit
		if err := l.keys(keys, true); (err == nil) != (limit == 400) {
			t.Errorf("%d bytes: %v", limit, err)
		}
	}
	for n := range 9 {
		if _, err := s.store.Apply(batchOf(&publisher{}, 0),
			[]delta.Row{update(fmt.Sprint(n), strings.Repeat("x", 8<<20), 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		return
	}
	if code, got := body(t, s, "GET", "/v1/getvalues?keys=0,1,2,3,4,5,6,7,8",
		""); code != http.StatusUnprocessableEntity {
		t.Errorf("72 MiB: %d %.100s", code, got)
	}
}

func TestRunRequests(t *testing.T) {
	s := stocked(t)
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "/v1/runs/x", "", 400, "is not a valid run"},
		{"GET", "/v1/runs/18446744073709551616", "", 400, "is not a valid run"},
		{"GET", "/v1/runs/18446744073709551615", "", 200, `"publishers":[]`},
		{"PUT", "/v1/runs/-1", "{}", 400, "is not a valid run"},
		{"PUT", "/v1/runs/5", `{"offset_ns":1,"bound_ns":2}`, 204, ""},
		{"PUT", "/v1/runs/5", `{"offset_ns":"x"}`, 400, "not a valid registration"},
		{"PUT", "/v1/runs/5", `{"offset":1}`, 400, "not a valid registration"},
		{"PUT", "/v1/runs/5", `{"bound_ns":-1}`, 400, "must not be negative"},
		{"PUT", "/v1/runs/5", strings.Repeat(" ", maxRegistration+1) + "{}", 413, "too large"},
		{"POST", "/v1/runs/5", "", 405, ""},
		{"GET", "/nothing", "", 404, ""},
	} {
		if code, got := body(t, s, c.method, c.path, c.body); code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, code, got, c.code, c.want)
		}
	}
	var r kvapi.Run
	if get(t, s, "/v1/runs/9?state=1", &r); r.State == nil || r.State.Live != 8 || r.State.Tombstones != 1 {
		t.Errorf("%+v", r.State)
	}
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.broker = true
		s := inMemory(t, m, nil)
		sent := time.Now()
		time.Sleep(3 * time.Millisecond)
		m.publish(s.stamped(t, 0, sent, sent), s.stamped(t, 0, sent, sent), []byte("nonsense"))
		synctest.Wait()
		gathered, err := s.metrics.Gather()
		if err != nil {
			t.Fatal(err)
		}
		families := make(map[string]*dto.MetricFamily)
		for _, f := range gathered {
			families[f.GetName()] = f
		}
		for name, want := range map[string]float64{
			"RealtimeTotalRowsUpdated": 1, "plimsoll_kv_batches_total": 1, "plimsoll_kv_batches_duplicate_total": 1,
			"plimsoll_kv_messages_unreadable_total": 1, "plimsoll_kv_keys": 1,
		} {
			f := families[name]
			if f == nil || f.Metric[0].GetCounter().GetValue()+f.Metric[0].GetGauge().GetValue() != want {
				t.Errorf("%s: %v, want %v", name, f, want)
			}
		}
		for name, unit := range map[string]string{
			"ReceivedLowLatencyNotificationsE2E": "microseconds", "ReceivedLowLatencyNotifications": "nanoseconds",
			"TopicReceiveMessageLatency":                      "microseconds",
			"ReceivedLowLatencyNotificationsE2ETopicProvided": "microseconds",
		} {
			f := families[name]
			if f == nil || f.Metric[0].GetHistogram().GetSampleCount() != 1 || !strings.Contains(f.GetHelp(), unit) {
				t.Errorf("%s: %v", name, f)
			}
		}
		if e2e := families["ReceivedLowLatencyNotificationsE2E"].Metric[0].GetHistogram().GetSampleSum(); e2e != 3000 {
			t.Errorf("end to end: %v µs, want 3000", e2e)
		}
		if code, text := body(t, s, "GET", "/metrics", ""); code != 200 ||
			!strings.Contains(text, "\nRealtimeTotalRowsUpdated 1\n") ||
			!strings.Contains(text, "\nReceivedLowLatencyNotificationsE2E_bucket{le=") {
			t.Errorf("%d %.300s", code, text)
		}
		var st stats
		if get(t, s, "/stats", &st); st.Batches != 1 || st.Unreadable != 1 ||
			st.Times.Stages["end to end, from the send"].Summary.MaxNS != 3e6 {
			t.Errorf("%+v", st)
		}
	})
}

// TestOverTheNetwork serves on a port: what is slow or too long is refused, and the end is
// orderly while somebody is connected.
func TestOverTheNetwork(t *testing.T) {
	var conns []net.Conn // which outlive the servers
	t.Cleanup(func() {
		for _, c := range conns {
			_ = c.Close()
		}
	})
	dial := func(headerTimeout time.Duration) net.Conn {
		t.Helper()
		cfg := Default()
		cfg.Subscription, cfg.Memory, cfg.HeaderTimeout, cfg.ShutdownTimeout = "test", 1<<26, headerTimeout,
			50*time.Millisecond
		s, err := New(cfg, Source{Topic: newMemory(), URL: "memory://test"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		return conn
	}
	slow := dial(50 * time.Millisecond)
	fmt.Fprint(slow, "GET /health HTTP/1.1\r\nHost: x\r\n") // and no more
	// It is reset if the server was tired of it before it had sent this much.
	if _, err := io.ReadAll(slow); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a client that sends half a request: %v", err)
	}
	long := dial(time.Minute)
	go fmt.Fprintf(long, "GET /v1/getvalues?keys=%s HTTP/1.1\r\nHost: x\r\n\r\n",
		strings.Repeat("k", 2*server.MaxHeader))
	if r, err := http.ReadResponse(bufio.NewReader(long), nil); err != nil ||
		r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%v, %v", r, err)
	}
	dial(time.Minute) // and says nothing until the server ends
}

func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cfg := Default()
	cfg.Listen = taken.Addr().String()
	s, err := New(cfg, Source{Topic: newMemory(), URL: "memory://test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), cfg.Listen) {
		t.Errorf("%v", err)
	}
	if _, err := New(Config{}, Source{Topic: newMemory()}, nil); err == nil {
		t.Error("a configuration without anything is valid")
	}
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{"keys=a,b", "keys=a%2Cb&keys=c", "hostname=x&renderUrls=%00", "keys=%zz", "=&&=,",
		"keys=a&x"} {
		f.Add(q)
	}
	s := stocked(f)
	f.Fuzz(func(t *testing.T, raw string) {
		asked, err := parseQuery(raw)
		if err != nil {
			return
		}
		n := 0
		for _, a := range asked {
			n += len(a.keys)
		}
		if n == 0 || n > maxKeys {
			t.Fatalf("%d keys", n)
		}
		l := s.lookups()
		for _, a := range asked {
			l.body = l.body[:0]
			if err := l.keys(a.keys, true); err != nil {
				t.Fatal(err)
			}
			if !json.Valid(l.body) {
				t.Fatalf("%q has the answer %q", raw, l.body)
			}
		}
	})
}

func FuzzPartitions(f *testing.F) {
	f.Add([]byte(`{"partitions":[{"id":0,"compressionGroupId":1,"arguments":[{"tags":["keys"],"data":["a","x"]}]}]}`))
	f.Add([]byte(`{"partitions":[{"id":0,"keyGroups":[{"tags":null,"keyList":["set"]}]}]}`))
	f.Add([]byte(`{"partitions":[{"arguments":[{"tags":{"x":1}}]}]}`))
	s := stocked(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := parsePartitions(text)
		if err != nil {
			return
		}
		l := s.lookups()
		if err := l.groups(q); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(l.body) {
			t.Fatalf("%q has the answer %q", text, l.body)
		}
	})
}
