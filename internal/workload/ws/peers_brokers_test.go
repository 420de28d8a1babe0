package ws_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// write writes a file of a test's directory, and gives its name.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// mosquitto starts a broker of MQTT, with the user ann, who may publish below plimsoll/ alone. Its log is its counts.
func mosquitto(t *testing.T) (string, func(t *testing.T) served) {
	brokers, dir, addresses := peertest.Brokers(t), t.TempDir(), peertest.Addresses(t, 2)
	address := addresses[0]
	libraries, _ := filepath.Glob(filepath.Join(brokers, "usr/lib/*-linux-gnu*"))
	environment := append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
	host, port, _ := net.SplitHostPort(address)
	_, other, _ := net.SplitHostPort(addresses[1])
	passwords, log := write(t, dir, "passwords", ""), filepath.Join(dir, "log")
	add := exec.Command(filepath.Join(brokers, "usr/bin/mosquitto_passwd"), "-b", passwords, "ann", "secret")
	add.Env = environment
	if said, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	config := write(t, dir, "mosquitto.conf", fmt.Sprintf(`user root
# Without a listener of plain MQTT mosquitto 2.0.11 says that it has none at all.
listener %[6]s %[2]s
listener %[1]s %[2]s
protocol websockets
allow_anonymous false
password_file %[3]s
acl_file %[4]s
log_type all
log_dest file %[5]s
connection_messages true
`, port, host, passwords, write(t, dir, "acl", "user ann\ntopic readwrite plimsoll/#\n"), log, other))
	cmd := exec.Command(filepath.Join(brokers, "usr/sbin/mosquitto"), "-c", config)
	cmd.Env = environment
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	listens(t, address) // its log is all that it writes
	return "ws://" + address, func(t *testing.T) (s served) {
		t.Helper()
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		count := func(text string) int64 { return int64(strings.Count(string(data), text)) }
		return served{
			Logins: count(": New client connected from"), Strangers: count(" (0, 135)"),
			Taken: count(": Received PUBLISH from"), Refused: count(": Denied PUBLISH from"),
			Delivered: count(": Sending PUBLISH to"), Pongs: count(": Received PINGREQ from"),
		}
	}
}

// listens waits until somebody listens at an address.
func listens(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
