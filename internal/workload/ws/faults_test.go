package ws_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	server "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// serve runs a target with faults until the test ends and gives its address.
func serve(t *testing.T, faults server.Faults) string {
	t.Helper()
	return serveWith(t, func(c *server.Config) { c.Faults = faults })
}

func serveWith(t *testing.T, change func(*server.Config)) string {
	t.Helper()
	c := server.Default()
	c.Listen = "127.0.0.1:0"
	change(&c)
	s, err := server.New(c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s.URL()
}

// metrics reads the target's own counts: series with their labels, and values.
func metrics(t *testing.T, target string) map[string]int64 {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + u.Host + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	counts := map[string]int64{}
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok && strings.HasPrefix(name, "plimsoll_") {
			v, _ := strconv.ParseFloat(value, 64)
			counts[name] = int64(v)
		}
	}
	return counts
}

// load is what a test sends.
type load struct {
	plan.Load
	ws.Options
}

// sends runs a closed load against the target and returns the run document, its totals, and the counts of replies.
func sends(t *testing.T, target string, messages int64, change func(*load)) (doc *rundoc.Run,
	total rundoc.Operation, replies *ws.Replies) {
	t.Helper()
	p := load{
		Load: plan.Load{
			Seed: 1, Clients: 4, Pipeline: 1, Operations: messages, Drain: runtest.Patience,
			Retry: plan.Retry{Timeout: runtest.Patience, Max: 5, InitialBackoff: time.Millisecond,
				MaxBackoff: 5 * time.Millisecond},
		},
		Options: ws.Options{Protocol: ws.ChatOf(t, 0), Label: "type", Rooms: 20},
	}
	if change != nil {
		change(&p)
	}
	p.Options.Seed = p.Load.Seed
	w, err := ws.New(p.Options, target, "test")
	if err != nil {
		t.Fatal(err)
	}
	run := runtest.Engine(t, engine.Config{Load: p.Load, Workload: patient{w}})
	doc, total = runtest.Document(t, run, "", nil)
	return doc, total, w.Replies()
}

// patient are clients that connect however long it takes: a load whose attempts are given up early has no time for a
// busy machine to connect either, and a first client that cannot is the end of a run.
type patient struct{ *ws.Traffic }

func (w patient) NewClient(number, slots int) workload.Client {
	return connecting{w.Traffic.NewClient(number, slots).(workload.Sender)}
}

type connecting struct{ workload.Sender }

func (c connecting) Connect(ctx context.Context) error {
	return c.Sender.Connect(context.WithoutCancel(ctx))
}

func cause(o rundoc.Operation, name string) int64 {
	for _, c := range o.Causes {
		if c.Cause == name {
			return c.Count
		}
	}
	return 0
}

// timeouts counts those of the target and those that a busy machine makes the generator's own.
func timeouts(o rundoc.Operation) int64 { return cause(o, "timeout") + cause(o, "own-timeout") }

func fault(kind string) string { return `plimsoll_chat_faults_injected_total{kind="` + kind + `"}` }

func received(m map[string]int64) (n int64) {
	for name, count := range m {
		if strings.HasPrefix(name, "plimsoll_chat_messages_total") {
			n += count
		}
	}
	return n
}

func TestDropsAgreeWithServerCounts(t *testing.T) {
	for name, pipeline := range map[string]int{"one at a time": 1, "pipeline": 4} {
		t.Run(name, func(t *testing.T) {
			target := serve(t, server.Faults{DropRate: .02, Seed: 1})
			doc, o, _ := sends(t, target, 2000, func(p *load) { p.Load.Pipeline = pipeline })
			m := metrics(t, target)
			drops := m[fault("drop")]
			if drops == 0 || o.OK != 2000 {
				t.Fatalf("%d drops, %d of 2000 ok", drops, o.OK)
			}
			if got := cause(o, "closed-by-peer:1006"); pipeline == 1 && (got != drops || got != o.Retries) ||
				got < drops {
				t.Errorf("%d attempts cut off and %d retries, the server dropped %d", got, o.Retries, drops)
			}
			if re := doc.Connections.Reconnects; len(re) != 1 || re[0].Cause != "closed-by-peer:1006" ||
				re[0].Count != drops {
				t.Errorf("reconnects %+v, the server dropped %d", re, drops)
			}
			if accepted := m[`plimsoll_chat_connections_total{outcome="accepted"}`]; doc.Connections.Opened != accepted {
				t.Errorf("%d connections opened, the server accepted %d", doc.Connections.Opened, accepted)
			}
			if pipeline == 1 && received(m) != o.Attempts {
				t.Errorf("%d attempts, the server received %d", o.Attempts, received(m))
			}
		})
	}
}

func TestFragmentsAreReassembled(t *testing.T) {
	for _, size := range []int{1, 126} {
		target := serve(t, server.Faults{Fragment: size, Seed: 1})
		doc, o, r := sends(t, target, 300, func(p *load) { p.Load.Pipeline = 3 })
		if o.OK != 300 || o.Retries != 0 || doc.Connections.Opened != 4 ||
			r.Unreadable.Load()+r.Unmatched.Load()+r.Duplicate.Load() != 0 {
			t.Errorf("fragments of %d: %d ok, %d retries, causes %v", size, o.OK, o.Retries, o.Causes)
		}
	}
}

func TestRefusalsAreNotRetried(t *testing.T) {
	target := serve(t, server.Faults{ErrorRate: .1, Seed: 1})
	_, o, _ := sends(t, target, 2000, nil)
	refused := metrics(t, target)[fault("error")]
	if refused == 0 || o.Failed != refused || cause(o, "rejected") != refused || o.Retries != 0 {
		t.Errorf("%d failed, causes %v, %d retries; the server refused %d", o.Failed, o.Causes, o.Retries, refused)
	}
	if o.ResponseTime.Count != o.OK {
		t.Errorf("%d response times of %d ok: a refusal is no response", o.ResponseTime.Count, o.OK)
	}
}

func TestGarbageIsNotRetried(t *testing.T) {
	target := serve(t, server.Faults{GarbageRate: .05, Seed: 1})
	_, o, r := sends(t, target, 2000, nil)
	garbage := metrics(t, target)[fault("garbage")]
	if garbage == 0 || cause(o, "protocol") != garbage || r.Unreadable.Load() != garbage || o.Failed != garbage ||
		o.Retries != 0 {
		t.Errorf("%d failed, causes %v, %d unreadable; the server sent %d",
			o.Failed, o.Causes, r.Unreadable.Load(), garbage)
	}
	if r.Example() == "" {
		t.Error("no example is kept")
	}
}

func TestSilenceIsATimeout(t *testing.T) {
	target := serve(t, server.Faults{SilentRate: .01, Seed: 1})
	// A machine that is busy elsewhere may time out more, and any number of times in a row; it never
	// times out less.
	_, o, r := sends(t, target, 1000,
		func(p *load) { p.Load.Retry.Timeout, p.Load.Retry.Max = 200*time.Millisecond, 1000 })
	silent := metrics(t, target)[fault("silent")]
	if silent == 0 || timeouts(o) < silent || o.OK != 1000 || r.Unmatched.Load() != 0 {
		t.Errorf("causes %v, %d ok; the server was silent %d times", o.Causes, o.OK, silent)
	}
}

func TestDuplicateAndReorderedRepliesAreCounted(t *testing.T) {
	target := serve(t, server.Faults{DuplicateRate: .1, Seed: 1})
	_, o, r := sends(t, target, 3000, nil)
	// The second answer to a client's last message may come after its goodbye.
	if twice := metrics(t, target)[fault("duplicate")]; twice == 0 || r.Duplicate.Load() > twice ||
		r.Duplicate.Load() < twice-4 || o.Retries != 0 || r.Late.Load() != 0 {
		t.Errorf("%d duplicates, %d late; the server sent %d twice", r.Duplicate.Load(), r.Late.Load(), twice)
	}

	target = serve(t, server.Faults{ReorderRate: .1, Seed: 1})
	_, o, r = sends(t, target, 3000, func(p *load) { p.Load.Pipeline = 8 })
	swapped := metrics(t, target)[fault("reorder")]
	if r.Reordered.Load() != swapped || r.Duplicate.Load()+r.Late.Load()+r.Unmatched.Load() != 0 ||
		o.Retries != 0 || o.OK != 3000 {
		t.Errorf("%d reordered, %d duplicates, %d late; the server held back %d",
			r.Reordered.Load(), r.Duplicate.Load(), r.Late.Load(), swapped)
	}
}

// TestLateRepliesAreCounted has the server send some replies after the client's timeout. On a busy machine more are late,
// and a timeout may be noticed only when its reply is there.
func TestLateRepliesAreCounted(t *testing.T) {
	target := serve(t, server.Faults{LateRate: .04, LateBy: 200 * time.Millisecond, Seed: 1})
	const n = 400
	_, o, r := sends(t, target, n, func(p *load) {
		p.Load.Retry.Timeout, p.Load.Retry.Max, p.Load.ThinkTime = 100*time.Millisecond, 1000, 5*time.Millisecond
	})
	late := metrics(t, target)[fault("late")]
	if late == 0 || timeouts(o) == 0 || o.OK != n || r.Duplicate.Load() != 0 || r.Unmatched.Load() != 0 {
		t.Errorf("causes %v, %d ok, %d late; the server was late %d times", o.Causes, o.OK, r.Late.Load(), late)
	}
	if r.Late.Load() > timeouts(o) {
		t.Errorf("%d late replies to %d timeouts", r.Late.Load(), timeouts(o))
	}
}
