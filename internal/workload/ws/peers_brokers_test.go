package ws_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
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

// rabbitmq starts a broker of STOMP, with the user ann: without epmd, which would stay when it ends, and with one thread
// of each sort. Its log is its count of what it refuses, and its metrics are those of the rest.
func rabbitmq(t *testing.T) (string, func(t *testing.T) served) {
	brokers, dir, addresses := peertest.Brokers(t), t.TempDir(), peertest.Addresses(t, 3)
	host, port, _ := net.SplitHostPort(addresses[0])
	_, metrics, _ := net.SplitHostPort(addresses[1])
	_, node, _ := net.SplitHostPort(addresses[2])
	log := filepath.Join(dir, "log")
	config := write(t, dir, "rabbitmq.conf", fmt.Sprintf(`listeners.tcp = none
stomp.listeners.tcp = none
web_stomp.tcp.ip = %[1]s
web_stomp.tcp.port = %[2]s
prometheus.tcp.ip = %[1]s
prometheus.tcp.port = %[3]s
default_user = ann
default_pass = secret
log.console = true
log.console.level = info
log.file = %[4]s
log.file.level = error
`, host, port, metrics, log))
	plugins := write(t, dir, "plugins", "[rabbitmq_web_stomp,rabbitmq_prometheus].\n")
	erlang := filepath.Join(brokers, "usr/lib/erlang")
	bins, _ := filepath.Glob(filepath.Join(erlang, "erts-*/bin"))
	homes, _ := filepath.Glob(filepath.Join(brokers, "usr/lib/rabbitmq/lib/rabbitmq_server-*"))
	if len(bins) != 1 || len(homes) != 1 {
		t.Fatalf("Erlang is in %q, RabbitMQ in %q", bins, homes)
	}
	cmd := exec.Command(filepath.Join(bins[0], "erlexec"), strings.Fields("-noinput -boot start_sasl +W w +S 1 +SDcpu 1 +SDio 1 +A 1 "+
		"+sbwt none +sbwtdcpu none +sbwtdio none -sname plimsoll@localhost -setcookie plimsoll -start_epmd false "+
		"-erl_epmd_port "+node+" -kernel inet_dist_use_interface {"+strings.ReplaceAll(host, ".", ",")+"} "+
		"-kernel prevent_overlapping_partitions false -syslog logger [] -syslog syslog_error_logger false")...)
	// It ends with its input, should the test be killed.
	cmd.Args = append(cmd.Args, "-eval", "spawn(fun() -> P = open_port({fd, 0, 0}, [in, eof]), "+
		"receive {P, eof} -> erlang:halt(0) end end).", "-s", "rabbit", "boot")
	cmd.Env = append(os.Environ(), "ROOTDIR="+erlang, "BINDIR="+bins[0], "EMU=beam", "PROGNAME=erl", "HOME="+dir,
		"ERL_LIBS="+homes[0]+"/plugins", "RABBITMQ_HOME="+homes[0], "RABBITMQ_PLUGINS_DIR="+homes[0]+"/plugins",
		"RABBITMQ_MNESIA_BASE="+dir, "RABBITMQ_LOG_BASE="+dir, "RABBITMQ_GENERATED_CONFIG_DIR="+dir+"/generated",
		"RABBITMQ_CONFIG_FILE="+config, "RABBITMQ_ENABLED_PLUGINS_FILE="+plugins, "RABBITMQ_CONF_ENV_FILE=/dev/null",
		"RABBITMQ_NODENAME=plimsoll@localhost")
	peertest.Start(t, cmd, "Server startup complete")
	return "ws://" + addresses[0], func(t *testing.T) served {
		t.Helper()
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.Get("http://" + addresses[1] + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Body.Close() }()
		sums := map[string]int64{} // over all labels
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), " ")
			name, _, _ = strings.Cut(name, "{")
			v, _ := strconv.ParseFloat(value, 64)
			sums[name] += int64(v)
		}
		return served{
			Logins:    sums["rabbitmq_connections_opened_total"],
			Strangers: int64(strings.Count(string(data), "Bad CONNECT")),
			Refused:   int64(strings.Count(string(data), "Unknown destination")),
			Taken:     sums["rabbitmq_global_messages_received_total"],
			Delivered: sums["rabbitmq_global_messages_delivered_total"],
		}
	}
}

// listens waits until somebody listens at an address.
func listens(t *testing.T, address string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(runtest.Patience); ; <-tick.C {
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
