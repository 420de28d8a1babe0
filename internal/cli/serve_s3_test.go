package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
)

// A foreign client finds in the embedded server what it expects of S3.
func TestForeignS3Client(t *testing.T) {
	t.Parallel()
	interpreter := peertest.Python(t)
	for name, args := range map[string][]string{"memory": nil, "dir": {"--dir", t.TempDir()}, "md5": {"--md5-etags"}} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), interpreter, filepath.Join("testdata", "python", "s3_client.py"),
				served(t, "s3", args...), s3target.DefaultBucket)
			cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID="+s3target.DefaultAccessKey, "AWS_SECRET_ACCESS_KEY="+s3target.DefaultSecretKey,
				"AWS_DEFAULT_REGION="+s3target.DefaultRegion, "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// Without a parent the server says what to export, and an interrupt ends it in order.
func TestServeS3Alone(t *testing.T) {
	t.Parallel()
	server := exec.Command("plimsoll", "serve", "s3", "--listen", "127.0.0.1:0", "--dir", filepath.Join(t.TempDir(), "d"))
	out, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.HasPrefix(lines.Text(), "export AWS_ENDPOINT_URL=http://127.0.0.1:") {
			if err := server.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := server.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if len(said) != 5 || !strings.HasPrefix(said[0], "serving S3 at http://127.0.0.1:") {
		t.Errorf("it said %q", said)
	}
}

// Secrets of the user are not printed, and the default ones are.
func TestServingS3(t *testing.T) {
	t.Parallel()
	cfg := s3target.Default()
	if said := servingS3("http://h:1", &cfg); !strings.Contains(said, "export AWS_SECRET_ACCESS_KEY="+s3target.DefaultSecretKey+"\n") ||
		!strings.Contains(said, "export AWS_ENDPOINT_URL=http://h:1") {
		t.Error(said)
	}
	cfg.SecretKey = "hush"
	if said := servingS3("http://h:1", &cfg); strings.Contains(said, "hush") {
		t.Error(said)
	}
}
