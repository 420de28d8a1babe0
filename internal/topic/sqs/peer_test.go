package sqs

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// startElasticMQ starts it on a free port and returns its URL.
func startElasticMQ(t *testing.T, dir string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	file := filepath.Join(t.TempDir(), "elasticmq.conf")
	text := fmt.Sprintf(`include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = %d, context-path = "" }
rest-sqs { enabled = true, bind-port = %[1]d, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
generate-node-address = false
`, port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	peertest.Start(t, exec.Command("java", "-Xmx256m", "-Dconfig.file="+file, "-cp", filepath.Join(dir, "lib", "*"), "org.elasticmq.server.Main"), "started in")
	return "http://127.0.0.1:" + strconv.Itoa(port)
}
