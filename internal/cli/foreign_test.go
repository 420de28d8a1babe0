package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// foreignServer starts the Python server and returns its URL.
func foreignServer(t *testing.T, args ...string) string {
	t.Helper()
	return peertest.Start(t, exec.Command(peertest.Python(t), append([]string{filepath.Join("testdata", "python", "server.py")}, args...)...), `^(wss?://\S+)$`)
}

// figures are the values of a run document that a test compares.
type figures struct {
	Exit       int
	OK, Failed int64
	Retries    int64
	Causes     map[string]int64
	Reconnects map[string]int64
	Replies    rundoc.Replies
}

// measure runs a short chat against a URL.
func measure(t *testing.T, url string, flags ...string) figures {
	t.Helper()
	// No attempt ends because the machine is slow: it would be one more.
	args := append([]string{"chat", url, "--clients", "3", "--messages", "600", "--warmup-messages", "0", "--timeout", "1m", "--json", "--no-save"}, flags...)
	code, stdout, stderr := execute(t, args...)
	doc, err := rundoc.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatalf("%v\nexit %d\n%s", err, code, stderr)
	}
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	detail := doc.Chat()
	if detail == nil {
		t.Fatalf("no detail of a chat: %v", doc.Detail)
	}
	if runtest.CompletedStatus(code) {
		code = 0
	}
	f := figures{Exit: code, OK: total.OK, Failed: total.Failed, Retries: total.Retries, Replies: detail.Replies}
	for _, c := range total.Causes {
		if f.Causes == nil {
			f.Causes = map[string]int64{}
		}
		f.Causes[c.Cause] = c.Count
	}
	for _, c := range doc.Connections.Reconnects {
		if f.Reconnects == nil {
			f.Reconnects = map[string]int64{}
		}
		f.Reconnects[c.Cause] = c.Count
	}
	return f
}

func TestForeignServer(t *testing.T) {
	t.Parallel()
	fine := figures{OK: 600}
	for _, mode := range []string{"plain", "fragments", "bytes"} {
		t.Run(mode, func(t *testing.T) {
			if diff := cmp.Diff(fine, measure(t, foreignServer(t, mode))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("nonsense", func(t *testing.T) {
		got := measure(t, foreignServer(t, "nonsense"))
		want := figures{
			Exit: 1, Failed: 600, Causes: map[string]int64{"protocol": 600},
			Replies: rundoc.Replies{Unreadable: 600, Example: "not JSON"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("rude", func(t *testing.T) {
		// Each connection serves 20 messages, and the close may overtake the next one or not.
		got := measure(t, foreignServer(t, "rude"), "--initial-backoff", "1ms")
		if got.OK != 600 || got.Failed != 0 || got.Reconnects["closed-by-peer:1011"] < 20 {
			t.Errorf("%+v", got)
		}
		for cause := range got.Causes {
			if cause != "closed-by-peer:1011" {
				t.Errorf("a close with 1011 was taken for %s", cause)
			}
		}
	})
}

// TestForeignServerHandshake checks that the headers of the handshake reach a server that requires them.
func TestForeignServerHandshake(t *testing.T) {
	t.Parallel()
	url := foreignServer(t, "picky")
	code, _, stderr := execute(t, "chat", url, "--no-save")
	if code != 1 || !strings.Contains(stderr, "handshake:401") {
		t.Errorf("without a token: exit %d, %s", code, stderr)
	}
	got := measure(t, url, "--header", "X-Token: open sesame", "--origin", "https://example.org", "--subprotocol", "chat.v1")
	if diff := cmp.Diff(figures{OK: 600}, got); diff != "" {
		t.Error(diff)
	}
}

// TestForeignServerTLS checks that the certificate is verified, against --ca, unless --insecure is given.
func TestForeignServerTLS(t *testing.T) {
	t.Parallel()
	peertest.Python(t)
	cert, key := certificate(t)
	url := foreignServer(t, "plain", cert, key)
	code, _, stderr := execute(t, "chat", url, "--no-save")
	if code != 1 || !strings.Contains(stderr, ": tls: ") || !strings.Contains(stderr, "--ca") {
		t.Errorf("an unknown authority: exit %d, %s", code, stderr)
	}
	for _, flags := range [][]string{{"--ca", cert}, {"--insecure"}} {
		if diff := cmp.Diff(figures{OK: 600}, measure(t, url, flags...)); diff != "" {
			t.Errorf("%q: %s", flags, diff)
		}
	}
}

// certificate makes a self-signed certificate for 127.0.0.1 and the files that hold it.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", privateDER)
}

// TestForeignClient has a client that others wrote check the protocol of the embedded server.
func TestForeignClient(t *testing.T) {
	t.Parallel()
	interpreter := peertest.Python(t)
	said, err := exec.CommandContext(t.Context(), interpreter, filepath.Join("testdata", "python", "client.py"), served(t, "chat")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
