package az_test

import (
	"bufio"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/az"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

const accountName = "account"

// accountKey belongs to the account of this run of the tests.
var accountKey = base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text()))

// azurite is where the emulator listens; "" when it was not started. 'make test' installs it.
var azurite string

// withAzurite runs the tests while the emulator runs.
type withAzurite struct{ m *testing.M }

// Run runs the tests.
func (w withAzurite) Run() int {
	script := os.Getenv("PLIMSOLL_AZURITE")
	if script == "" {
		return w.m.Run()
	}
	cmd := exec.Command("node", script, "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck",
		"--blobHost", "127.0.0.1", "--blobPort", "0", "--silent")
	cmd.Env = append(os.Environ(), "AZURITE_ACCOUNTS="+accountName+":"+accountKey)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Azurite does not start:", err)
		return 1
	}
	lines, address := bufio.NewScanner(out), regexp.MustCompile(`successfully listens on (http://\S+)`)
	for azurite == "" && lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			azurite = found[1]
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() {
		}
		_ = cmd.Wait()
	}()
	code := w.m.Run()
	_ = cmd.Process.Kill()
	<-ended
	return code
}

func TestMain(m *testing.M) { leaktest.Main(withAzurite{m}) }

// peer puts a proxy before the emulator, with a container in it.
func peer(t *testing.T) (*storetest.Proxy, store.Config) {
	t.Helper()
	if os.Getenv("PLIMSOLL_AZURITE") == "" {
		t.Skip("PLIMSOLL_AZURITE is not set; run 'make test'")
	}
	if azurite == "" {
		t.Fatal("Azurite did not start")
	}
	proxy := storetest.NewProxy(t)
	proxy.To(t, azurite)
	return proxy, newContainer(t, proxy)
}

// newContainer makes a container, and is what opens it through the proxy.
func newContainer(t *testing.T, proxy *storetest.Proxy) store.Config {
	t.Helper()
	name := strings.ToLower("c" + rand.Text()[:12])
	c := config(t, name, "fs.azure.account.key="+accountKey)
	c.Endpoint = proxy.URL + "/" + accountName
	if _, err := client(t, name).Create(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// client is the SDK's own, for what the store does not do. It asks the emulator itself, not the
// proxy: a request that was given up may still reach the proxy, which has to keep its faults.
func client(t *testing.T, name string) *container.Client {
	t.Helper()
	key, err := container.NewSharedKeyCredential(accountName, accountKey)
	if err != nil {
		t.Fatal(err)
	}
	options := &container.ClientOptions{}
	conf := store.Config{Requests: &store.Requests{}}
	transport := store.NewClient(&conf)
	t.Cleanup(transport.CloseIdleConnections)
	options.Transport = transport
	c, err := container.NewClientWithSharedKeyCredential(azurite+"/"+accountName+"/"+name, key, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func config(t *testing.T, container string, settings ...string) store.Config {
	t.Helper()
	s := &hadoop.Settings{}
	s.Set("fs.azure.io.retry.backoff.interval", "1", "-D")
	for _, p := range settings {
		key, value, _ := strings.Cut(p, "=")
		s.Set(key, value, "-D")
	}
	return store.Config{
		URL: &url.URL{Scheme: "az", Host: container, Path: "/dir/file"}, Block: 100_000, PartSize: 1 << 18,
		ActiveParts: 3,
		Checksum:    "crc32c", Retries: 2, Requests: &store.Requests{}, Settings: s,
	}
}

// open opens a store, which is closed when the test ends.
func open(t *testing.T, c store.Config) store.Store {
	t.Helper()
	s, err := az.Open(t.Context(), c)
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

func TestConformance(t *testing.T) {
	_, c := peer(t)
	storetest.Run(t, open(t, c), "/dir", c.Block)
}
