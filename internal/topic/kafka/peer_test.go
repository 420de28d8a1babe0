package kafka

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// startKafka starts Apache Kafka, broker and controller in one process, which ends with the test.
// It returns the broker's address, and one at which ann has to log in.
func startKafka(t *testing.T, jars string) (open, guarded string) {
	t.Helper()
	dir := t.TempDir()
	at := peertest.Addresses(t, 3)
	controller, broker, login := at[0], at[1], at[2]
	files := map[string]string{
		"server.properties": fmt.Sprintf(`process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%s
listeners=PLAINTEXT://%s,CONTROLLER://%[1]s,LOGIN://%[4]s
advertised.listeners=PLAINTEXT://%[2]s,LOGIN://%[4]s
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
	if out, err := java("kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", properties).
		CombinedOutput(); err != nil {
		t.Fatalf("formatting Kafka's storage: %v\n%s", err, out)
	}
	peertest.Start(t, java("kafka.Kafka", properties), "Kafka Server started")
	return broker, login
}
