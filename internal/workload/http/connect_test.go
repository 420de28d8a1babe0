package http_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// secure starts the embedded server with TLS, and gives the file of the certificate to trust.
func secure(t *testing.T) (url, trust string) {
	t.Helper()
	trust = filepath.Join(t.TempDir(), "trust.pem")
	url = serve(t, func(c *target.Config) { c.TLS, c.Trust = true, trust })
	if _, err := os.Stat(trust); err != nil {
		t.Fatal(err)
	}
	return url, trust
}

// TestTheStagesOfConnecting: names are looked up, and TLS has its handshake; each connection that is new has all of it.
func TestTheStagesOfConnecting(t *testing.T) {
	url, trust := secure(t)
	url = strings.Replace(url, "127.0.0.1", "localhost", 1)
	doc, total := run(t, flow(t, nil, script.Request{URL: url + "/"}), 40, func(p *room.Plan) {
		p.Dial.CAFile, p.Dial.NoKeepAlive = trust, true
	})
	c := doc.HTTP().Connecting
	if opened := doc.Connections.Opened; total.OK != 40 || opened < 40 || c.Lookup == nil || c.Lookup.Count != opened ||
		c.TCP.Count != opened || c.TLS == nil || c.TLS.Count != opened {
		t.Errorf("%d ok, %d opened: %+v", total.OK, doc.Connections.Opened, c)
	}
	// The connecting of one request is in its time.
	if response := total.ResponseTime.MeanNS; response < c.TLS.MinNS {
		t.Errorf("a request took %d ns, and a handshake at least %d", response, c.TLS.MinNS)
	}
}
