//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What one side of the comparison came to.
type speed struct {
	Messages float64 // per second
	UserNS   float64 // processor time per message
	SystemNS float64
}

const (
	bareClients = 32
	bareWindow  = 3 * time.Second
	bareWarmup  = 500 * time.Millisecond
)

// BenchmarkAgainstBareLoop runs plimsoll chat and a bare loop of the same WebSocket library
// against the same embedded target in turn, each in a process of its own, and reports how
// they compare by the medians. Each turn takes about 8 s: use -benchtime 3x.
func BenchmarkAgainstBareLoop(b *testing.B) {
	target, stop := serveTarget(b, "chat")
	defer stop()
	var bare, chat []speed
	for b.Loop() {
		bare = append(bare, runBare(b, target))
		chat = append(chat, runChat(b, target))
	}
	x, y := median(bare), median(chat)
	b.ReportMetric(0, "ns/op") // the time of a turn says nothing
	b.ReportMetric(x.Messages, "bare-msg/s")
	b.ReportMetric(y.Messages, "chat-msg/s")
	b.ReportMetric(y.Messages/x.Messages, "throughput-ratio")
	b.ReportMetric(x.UserNS/1e3, "bare-user-µs/msg")
	b.ReportMetric(y.UserNS/1e3, "chat-user-µs/msg")
	b.ReportMetric(y.UserNS/x.UserNS, "user-cpu-ratio")
	b.ReportMetric(x.SystemNS/1e3, "bare-system-µs/msg")
	b.ReportMetric(y.SystemNS/1e3, "chat-system-µs/msg")
}

// median is the median of each figure.
func median(all []speed) speed {
	of := func(get func(speed) float64) float64 {
		var values []float64
		for _, s := range all {
			values = append(values, get(s))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return speed{
		of(func(s speed) float64 { return s.Messages }),
		of(func(s speed) float64 { return s.UserNS }),
		of(func(s speed) float64 { return s.SystemNS }),
	}
}

// serveTarget starts an embedded target and returns its URL.
func serveTarget(tb testing.TB, kind string, args ...string) (target string, stop func()) {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{"serve", kind, "--child", "--listen", "127.0.0.1:0"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var ready struct{ URL string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		tb.Fatal(err)
	}
	return ready.URL, func() {
		_ = in.Close() // the server ends with its input
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the target ended with %v", err)
		}
	}
}

func runBare(tb testing.TB, target string) speed {
	tb.Helper()
	out, err := exec.Command("bareloop", target).Output()
	if err != nil {
		tb.Fatalf("the bare loop: %v", err)
	}
	var s speed
	if err := json.Unmarshal(out, &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// runChat measures by the run's own document, whose processor time is that of the window.
func runChat(tb testing.TB, target string) speed {
	tb.Helper()
	cmd := exec.Command("plimsoll", "chat", target, "--clients", fmt.Sprint(bareClients),
		"--duration", bareWindow.String(), "--warmup-time", bareWarmup.String(), "--json", "--no-save")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("plimsoll chat: %v\n%s", err, &stderr)
	}
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		tb.Fatal(err)
	}
	total, err := doc.Totals()
	if err != nil {
		tb.Fatal(err)
	}
	return speed{
		Messages: total.RatePerS,
		UserNS:   float64(doc.Generator.CPUUserNS) / float64(total.OK),
		SystemNS: float64(doc.Generator.CPUSystemNS) / float64(total.OK),
	}
}

// bareMessage is a valid chat message of usual length.
const bareMessage = `{"userId":"4711","username":"user4711","message":"Has anyone seen the notes from the last meeting?",` +
	`"roomId":"7","messageType":"TEXT","messageId":"0123456789abcdef-1234567-12.1234567","timestamp":"2026-11-21T20:47:00.000000Z"}`

// bareLoop is the main of the bare loop: clients that send again as soon as they are
// answered, and count. It prints a speed as JSON.
func bareLoop() {
	s, err := measureBare(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bareloop:", err)
		os.Exit(1)
	}
}

func measureBare(target string) (speed, error) {
	loop := &bareHandler{}
	var readers sync.WaitGroup
	var conns []*gws.Conn
	for range bareClients {
		conn, err := dialBare(loop, target)
		if err != nil {
			return speed{}, err
		}
		conns = append(conns, conn)
		readers.Go(conn.ReadLoop)
	}
	for _, conn := range conns {
		if err := conn.WriteString(bareMessage); err != nil {
			return speed{}, err
		}
	}
	time.Sleep(bareWarmup)
	from, began, before := loop.answered.Load(), time.Now(), cpuTime()
	time.Sleep(bareWindow)
	n, took, used := loop.answered.Load()-from, time.Since(began), cpuTime()
	loop.over.Store(true)
	readers.Wait()
	if loop.broken.Load() > 0 || n == 0 {
		return speed{}, errors.New("a connection was lost")
	}
	return speed{
		Messages: float64(n) / took.Seconds(),
		UserNS:   float64(used[0]-before[0]) / float64(n),
		SystemNS: float64(used[1]-before[1]) / float64(n),
	}, nil
}

func dialBare(loop *bareHandler, target string) (*gws.Conn, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	raw, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	conn, _, err := gws.NewClientFromConn(loop, &gws.ClientOption{Addr: target, ReadBufferSize: 4 << 10}, raw)
	return conn, err
}

// cpuTime is the user and system time that this process has used.
func cpuTime() [2]time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails only for other arguments
	return [2]time.Duration{time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())}
}

// bareHandler answers each message with the next.
type bareHandler struct {
	gws.BuiltinEventHandler
	answered atomic.Int64
	broken   atomic.Int64
	over     atomic.Bool
}

func (h *bareHandler) OnMessage(conn *gws.Conn, m *gws.Message) {
	success := strings.Contains(string(m.Bytes()[:min(m.Data.Len(), 200)]), "success")
	_ = m.Close() // it only gives its buffer back
	if h.over.Load() {
		_ = conn.NetConn().Close() // the loop is over
		return
	}
	if !success || conn.WriteString(bareMessage) != nil {
		h.broken.Add(1)
		_ = conn.NetConn().Close()
		return
	}
	h.answered.Add(1)
}
