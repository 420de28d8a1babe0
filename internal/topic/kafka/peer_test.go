package kafka

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// freePort is one that was free just now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// startKafka starts Apache Kafka, broker and controller in one process, which ends with the test.
// It returns the broker's address, and one at which ann has to log in.
func startKafka(t *testing.T, jars string) (open, guarded string) {
	t.Helper()
	dir := t.TempDir()
	broker, controller, login := freePort(t), freePort(t), freePort(t)
	files := map[string]string{
		"server.properties": fmt.Sprintf(`process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:%d
listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%[1]d,LOGIN://127.0.0.1:%[4]d
advertised.listeners=PLAINTEXT://127.0.0.1:%[2]d,LOGIN://127.0.0.1:%[4]d
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_PLAINTEXT
listener.name.login.sasl.enabled.mechanisms=PLAIN
listener.name.login.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="geheim1";
controller.listener.names=CONTROLLER
log.dirs=%[3]s
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.retention.check.interval.ms=500
auto.create.topics.enable=false
`, controller, broker, filepath.Join(dir, "data"), login),
		"log4j2.properties": `rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %m%n
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	java := func(main string, args ...string) *exec.Cmd {
		return exec.Command("java", append([]string{
			"-Xmx512m", "-Dlog4j2.configurationFile=" + filepath.Join(dir, "log4j2.properties"),
			"-cp", filepath.Join(jars, "lib", "*"), main,
		}, args...)...)
	}
	properties := filepath.Join(dir, "server.properties")
	if out, err := java("kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", properties).CombinedOutput(); err != nil {
		t.Fatalf("formatting Kafka's storage: %v\n%s", err, out)
	}
	peertest.Start(t, java("kafka.Kafka", properties), "Kafka Server started")
	return fmt.Sprintf("127.0.0.1:%d", broker), fmt.Sprintf("127.0.0.1:%d", login)
}
