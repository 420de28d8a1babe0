package sqs

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// startElasticMQ starts it on a free port and returns its URL.
func startElasticMQ(t *testing.T, dir string) string {
	t.Helper()
	address := peertest.Addresses(t, 1)[0]
	host, port, _ := net.SplitHostPort(address)
	file := filepath.Join(t.TempDir(), "elasticmq.conf")
	text := fmt.Sprintf(`include classpath("application.conf")
node-address { protocol = http, host = "%s", port = %s, context-path = "" }
rest-sqs { enabled = true, bind-port = %[2]s, bind-hostname = "%[1]s", sqs-limits = strict }
rest-stats { enabled = false }
generate-node-address = false
`, host, port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	peertest.Start(t, exec.Command("java", "-Xmx256m", "-Dconfig.file="+file, "-cp", filepath.Join(dir, "lib", "*"),
		"org.elasticmq.server.Main"), "started in")
	return "http://" + address
}
