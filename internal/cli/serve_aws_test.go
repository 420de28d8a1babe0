package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	overheadexec "github.com/plimsoll/plimsoll/internal/workload/overhead/exec"
)

// callCanned runs a client of the canned responder, which ends well if it got what it expects of AWS.
func callCanned(t *testing.T, serve []string, certificate, client string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), client, args...)
	cmd.Env = append(os.Environ(), overheadexec.ClientVariables(served(t, "aws", serve...), certificate, os.DevNull)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// The clients of other SDKs find in the canned responder what they expect of AWS.
func TestForeignAWSClient(t *testing.T) {
	t.Parallel()
	interpreter := peertest.Python(t)
	client := filepath.Join("testdata", "python", "aws_client.py")
	t.Run("boto3", func(t *testing.T) { callCanned(t, nil, "", interpreter, client) })
	t.Run("boto3 over TLS", func(t *testing.T) {
		certificate := filepath.Join(t.TempDir(), "ca.pem")
		callCanned(t, []string{"--tls", "--cert-out", certificate}, certificate, interpreter, client)
	})
	t.Run("AWS CLI", func(t *testing.T) {
		if os.Getenv("PLIMSOLL_NIGHTLY") == "" {
			t.Skip("make nightly runs it: the AWS CLI needs seconds of processor time")
		}
		callCanned(t, nil, "", interpreter, filepath.Join("testdata", "python", "aws_cli.py"), t.TempDir())
	})
}

// So do those that run on Java, which check more of what they get.
func TestJavaSDKs(t *testing.T) {
	t.Parallel()
	classes := javaClasses(t)
	for name, client := range map[string]string{"Java": "plimsoll.CannedClient", "Kotlin": "plimsoll.KotlinClient"} {
		t.Run(name, func(t *testing.T) { callCanned(t, nil, "", "java", "-cp", classes, client) })
	}
}

// javaClasses is the class path of the SDKs for Java and Kotlin; the test is skipped without them.
func javaClasses(t testing.TB) string {
	t.Helper()
	peers := os.Getenv("PLIMSOLL_JAVA_SDKS")
	if peers == "" {
		t.Skip("PLIMSOLL_JAVA_SDKS is not set; run 'make test-sdks', which needs Java and Maven")
	}
	return filepath.Join(peers, "classes") + string(os.PathListSeparator) + filepath.Join(peers, "lib", "*")
}

// Without a parent the server says what to export, and an interrupt ends it in order: the
// certificate's temporary file goes, and the trace has the header.
func TestServeAWSAlone(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "t.csv")
	server := exec.Command("plimsoll", "serve", "aws", "--listen", "127.0.0.1:0", "--tls", "--trace", trace)
	out, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said []string
	certificate := ""
	for lines.Scan() {
		said = append(said, lines.Text())
		if file, found := strings.CutPrefix(lines.Text(), "export AWS_CA_BUNDLE="); found {
			certificate = file
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
			if err := server.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := server.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if len(said) != 6 || !strings.HasPrefix(said[0], "serving prepared AWS responses at https://127.0.0.1:") {
		t.Errorf("it said %q", said)
	}
	if _, err := os.Stat(certificate); !os.IsNotExist(err) {
		t.Errorf("the certificate %q is still there: %v", certificate, err)
	}
	if text, err := os.ReadFile(trace); err != nil || !strings.HasPrefix(string(text), "service,operation,") {
		t.Errorf("%q, %v", text, err)
	}
}
