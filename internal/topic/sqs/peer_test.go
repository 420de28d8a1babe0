package sqs

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// startPeer starts a program, which ends with the test, and waits until it prints a line that
// matches. It returns the line's first group.
func startPeer(t *testing.T, ready, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	found, read := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(read)
		line := regexp.MustCompile(ready)
		for s := bufio.NewScanner(out); s.Scan(); {
			if m := line.FindStringSubmatch(s.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
		close(found)
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	got, ok := <-found
	late.Stop()
	if !ok {
		t.Fatalf("%s did not start:\n%s", name, &stderr)
	}
	return got
}

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
	startPeer(t, `(started in)`, "java", "-Xmx256m", "-Dconfig.file="+file, "-cp", filepath.Join(dir, "lib", "*"), "org.elasticmq.server.Main")
	return "http://127.0.0.1:" + strconv.Itoa(port)
}
