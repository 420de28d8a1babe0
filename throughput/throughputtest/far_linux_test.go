package throughputtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// farEnd is the variable that makes the test binary the far end of a link: what carries its packets, and the server.
const farEnd = "PLIMSOLL_FAR"

// A far end is a process of its own, which goes before all others where it may: a path and a server do not
// become slow because the client's machine is busy. What is measured is a client that is.
type far struct {
	Near, Far, Address string
	Kind               linkKind
}

// startFar starts the far end of a link. It ends with the test.
func startFar(t *testing.T, l *link, k linkKind) (url string) {
	t.Helper()
	text, err := json.Marshal(far{l.near, l.far, l.address, k})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{os.Args[0]}
	if nice, err := exec.LookPath("nice"); err == nil { // not of real time, which would starve the kernel's own threads
		args = []string{nice, "-n", "-15", os.Args[0]}
	}
	command := exec.Command(args[0], args[1:]...)
	// Its threads wait in the kernel; with few of Go's processors they would wait for each other.
	command.Env = append(os.Environ(), farEnd+"="+string(text), "GOMAXPROCS=16")
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait()
	})
	lines := bufio.NewReader(stdout)
	if _, err := fmt.Fscanln(lines, &url); err != nil {
		t.Fatal("the far end of the link did not begin; what it said of that stands above: ", err)
	}
	return url
}

// farEndInstead makes a process that was started for it a far end, and does not return then.
func farEndInstead() {
	text := os.Getenv(farEnd)
	if text == "" {
		return
	}
	if err := beFarEnd(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// slowRate is up to what rate, in bits per second, a server can read each segment by itself.
const slowRate = 100e6

// beFarEnd is the far end, until there is no near one.
func beFarEnd(text string) error {
	var f far
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	l := &link{near: f.Near, far: f.Far, address: f.Address}
	if err := l.connect(f.Kind); err != nil {
		return err
	}
	listener, err := l.listen()
	if err != nil {
		return err
	}
	server := &http.Server{ConnContext: withConn, Handler: http.HandlerFunc(serveFar)}
	stamped := stampedListener{listener, 1448}
	if f.Kind.Rate > slowRate {
		stamped.piece = 64 << 10 // one segment at a time, the server would be the slowest
	}
	scheme := "http"
	if os.Getenv("ACCURACY_HTTP2") != "" {
		scheme = "https"
		certified := httptest.NewTLSServer(nil)
		server.TLSConfig = certified.TLS.Clone()
		certified.Close()
		server.TLSConfig.NextProtos = nil
		go func() { _ = server.ServeTLS(stamped, "", "") }()
	} else {
		go func() { _ = server.Serve(stamped) }()
	}
	fmt.Printf("%s://%s/\n", scheme, listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// The header in which the server says when a body had arrived, at the earliest and at the latest.
const arrivedHeader = "Arrived"

// synctest: not in a bubble: measures real links, run only by make bench-accuracy.
func serveFar(w http.ResponseWriter, r *http.Request) {
	if size, err := strconv.Atoi(r.URL.Query().Get("size")); err == nil { // a download
		_, _ = io.CopyN(w, zeros{}, int64(size))
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	earliest, latest := connOf(r).arrived()
	w.Header().Set(arrivedHeader, fmt.Sprint(earliest.UnixNano(), " ", latest.UnixNano()))
	time.Sleep(serverDelay)
}
