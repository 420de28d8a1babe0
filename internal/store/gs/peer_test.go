package gs_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/gs"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const bucket = "bucket"

// peer starts fake-gcs-server behind a proxy and creates the bucket. 'make test' builds the server.
func peer(t *testing.T) *storetest.Proxy {
	t.Helper()
	binary := os.Getenv("PLIMSOLL_FAKE_GCS")
	if binary == "" {
		t.Skip("PLIMSOLL_FAKE_GCS is not set; run 'make test'")
	}
	proxy := storetest.NewProxy(t)
	proxy.To(t, start(t, binary, proxy))
	resp, err := http.Post(proxy.URL+"/storage/v1/b?project=p", "application/json",
		strings.NewReader(`{"name":"`+bucket+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("creating the bucket: %s", resp.Status)
	}
	proxy.Break()
	return proxy
}

// start starts the server and returns its URL.
func start(t *testing.T, binary string, proxy *storetest.Proxy) string {
	t.Helper()
	for range 5 {
		port := freePort(t)
		cmd := exec.Command(binary, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", port,
			"-external-url", proxy.URL, "-public-host", proxy.Host())
		log, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, started := bufio.NewScanner(log), false
		for !started && lines.Scan() {
			started = strings.Contains(lines.Text(), "server started")
		}
		ended := make(chan struct{})
		go func() { // the server blocks if nobody reads its log
			defer close(ended)
			for lines.Scan() {
			}
			_ = cmd.Wait()
		}()
		if started { // otherwise another process has taken the port
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				<-ended
			})
			return "http://127.0.0.1:" + port
		}
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Fatal("fake-gcs-server did not start")
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// config returns the configuration of a store behind the proxy; nil leaves the endpoint unset.
func config(t *testing.T, proxy *storetest.Proxy, settings ...string) store.Config {
	t.Helper()
	u, err := url.Parse("gs://" + bucket + "/dir/file")
	if err != nil {
		t.Fatal(err)
	}
	c := store.Config{URL: u, Block: 100_000, PartSize: 1 << 18, ActiveParts: 3, Checksum: "crc32c", Retries: 2,
		Requests: &store.Requests{}}
	if proxy != nil {
		c.Endpoint = proxy.URL
	}
	c.Settings = settingsOf(settings...)
	return c
}

func settingsOf(pairs ...string) *hadoop.Settings {
	s := &hadoop.Settings{}
	for _, p := range pairs {
		key, value, _ := strings.Cut(p, "=")
		s.Set(key, value, "-D")
	}
	return s
}

// open opens a store that hardly waits between attempts and is closed when the test ends.
func open(t *testing.T, c store.Config) store.Store {
	t.Helper()
	s, err := gs.OpenImpatient(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
