package cli

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// execute runs a command in this process and returns its exit code and output.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return executeIn(t, t.TempDir(), args...)
}

// executeIn is execute with the runs that are kept below a directory.
func executeIn(t *testing.T, state string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), Env{
		Args: args,
		LookupEnv: func(name string) (string, bool) {
			return state, name == "XDG_STATE_HOME"
		},
		Stdin:      strings.NewReader(""),
		Stdout:     &out,
		Stderr:     &errs,
		IsTerminal: func(io.Writer) bool { return false },
		Signals:    func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	return code, out.String(), errs.String()
}

// A server that cannot be used ends the run with one line that says why.
func TestCannotConnect(t *testing.T) { // not beside others: it looks for goroutines
	before := goleak.IgnoreCurrent()               // what other tests left behind is theirs
	t.Cleanup(func() { leavesNothing(t, before) }) // after the servers are closed
	refused := refusedAddress(t)
	answering := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	plain := answering(http.StatusOK)
	for _, c := range []struct {
		name, url  string
		want, hint string
	}{
		{"refused", "ws://" + refused + "/chat", "refused: ", "the server is running"},
		{"unresolvable", "ws://no-such-host.invalid/chat", "unresolvable: ", "check the host name"},
		{"404", "ws://" + answering(404) + "/chat", "handshake:404: ", "the path of the URL"},
		{"403", "ws://" + answering(403) + "/chat", "handshake:403: ", "--subprotocol"},
		{"silent", "ws://" + hangingUp(t) + "/chat", "handshake: ", "write wss://"},
		{"500", "ws://" + answering(500) + "/chat", "handshake:500: ", "the path of the URL"},
		{"200", "ws://" + plain + "/chat", "handshake:200: ", "the path of the URL"},
		{"plain HTTP on wss", "wss://" + plain + "/chat", "scheme: the server does not speak TLS", "speaks TLS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := execute(t, "chat", c.url, "--timeout", "1m")
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			if code != 1 || stdout != "" || len(lines) != 2 {
				t.Fatalf("exit %d\nstdout: %s\nstderr: %s", code, stdout, stderr)
			}
			if !strings.HasPrefix(lines[0], "plimsoll: cannot connect to "+c.url+": "+c.want) {
				t.Errorf("error: %s", lines[0])
			}
			if !strings.Contains(lines[1], c.hint) {
				t.Errorf("hint: %s", lines[1])
			}
		})
	}
}

// TestAProxyThatIsNotThere: the hint is about the proxy, since its address is not that of the URL.
func TestAProxyThatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, proxy := range []string{refusedAddress(t), "no-such-host.invalid:81"} {
		code, _, stderr := execute(t, "http", "http://127.0.0.1/", "--proxy", "http://"+proxy)
		if code != 1 || !strings.Contains(stderr, "check --proxy") {
			t.Errorf("%s: exit %d: %s", proxy, code, stderr)
		}
	}
}

// The password of a URL is in no message.
func TestNoSecretInErrors(t *testing.T) {
	t.Parallel()
	_, _, stderr := execute(t, "chat", "ws://user:hunter2@"+refusedAddress(t)+"/chat?token=hunter2")
	if strings.Contains(stderr, "hunter2") {
		t.Error(stderr)
	}
}

// hangingUp is the address of a server that reads a little and closes the connection.
func hangingUp(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadString('\n')
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// refusedAddress is an address where nobody listens: the end of a connection that stays, so that nobody gets its port
// and begins to.
func refusedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String()
}

// leavesNothing waits until no goroutine is left that the options do not ignore: one that is about to end may have to
// wait for a processor.
func leavesNothing(t *testing.T, options ...goleak.Option) {
	t.Helper()
	for late := time.Now().Add(time.Minute); goleak.Find(options...) != nil && time.Now().Before(late); {
		runtime.Gosched() // Find itself waits
	}
	goleak.VerifyNone(t, options...)
}
