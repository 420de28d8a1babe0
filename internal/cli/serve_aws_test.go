package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// awsServer starts the canned responder as a run does and gives its URL.
func awsServer(t *testing.T, args ...string) string {
	t.Helper()
	server := exec.Command("plimsoll", append([]string{"serve", "aws", "--child", "--listen", "127.0.0.1:0"}, args...)...)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := strings.Cut(line, `"url":"`)
	url, _, _ = strings.Cut(url, `"`)
	return url
}

// The clients of another SDK find in the canned responder what they expect of AWS.
func TestForeignAWSClient(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a Python client")
	}
	interpreter := peertest.Python(t)
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	for name, args := range map[string][]string{"plain": nil, "tls": {"--tls", "--certificate", certificate}} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), interpreter, filepath.Join("testdata", "python", "aws_client.py"))
			cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+awsServer(t, args...), "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any",
				"AWS_DEFAULT_REGION=us-west-2", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
			if args != nil {
				cmd.Env = append(cmd.Env, "AWS_CA_BUNDLE="+certificate)
			}
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// So do those of the AWS SDK for Java, which checks more of what it gets.
func TestJavaSDK(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "java", "-cp", javaClasses(javaPeers(t)), "plimsoll.CannedClient")
	cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+awsServer(t), "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any",
		"AWS_REGION=us-west-2", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// javaPeers is where the SDK for Java is; the test is skipped without it.
func javaPeers(t testing.TB) string {
	t.Helper()
	peers := os.Getenv("PLIMSOLL_JAVA_SDK")
	if peers == "" {
		t.Skip("PLIMSOLL_JAVA_SDK is not set; run 'make test-sdks', which needs Java and Maven")
	}
	return peers
}

func javaClasses(peers string) string {
	return filepath.Join(peers, "classes") + string(os.PathListSeparator) + filepath.Join(peers, "lib", "*")
}

func TestAWSTargetArgs(t *testing.T) {
	got, err := awsTargetArgs([]string{"trace=t.csv", "--max-connections=10"})
	if diff := cmp.Diff([]string{"--trace=t.csv", "--max-connections=10"}, got); diff != "" || err != nil {
		t.Errorf("%s%v", diff, err)
	}
	for value, want := range map[string]string{
		"trace":             "lacks a value",
		"nothing=1":         "is not a flag of 'plimsoll serve aws'",
		"listen=:80":        "is chosen by the run itself",
		"latency=1ms":       "is chosen by the run itself",
		"max-connections=0": "is not positive",
		"idle-timeout=x":    "is not a duration",
		"idle-timeout=1ms":  "is too short",
	} {
		if _, err := awsTargetArgs([]string{value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
	if names := awsTargetFlagNames(); !slices.Contains(names, "trace=") || slices.Contains(names, "listen=") {
		t.Errorf("names %q", names)
	}
}

// Without a parent the server says what to export, and an interrupt ends it in order: the
// certificate's temporary file goes, and the trace has the header.
func TestServeAWSAlone(t *testing.T) {
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
	if len(said) != 6 || !strings.HasPrefix(said[0], "answering for AWS at https://127.0.0.1:") {
		t.Errorf("it said %q", said)
	}
	if _, err := os.Stat(certificate); !os.IsNotExist(err) {
		t.Errorf("the certificate %q is still there: %v", certificate, err)
	}
	if text, err := os.ReadFile(trace); err != nil || !strings.HasPrefix(string(text), "service,operation,") {
		t.Errorf("%q, %v", text, err)
	}
}
