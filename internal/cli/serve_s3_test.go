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

func TestS3TargetArgs(t *testing.T) {
	t.Parallel()
	got, err := s3target.Target().Args([]string{"bandwidth=20MB", "--discard", "md5-etags=false", "clock-skew=-20m"})
	if diff := cmp.Diff([]string{"--bandwidth=20MB", "--discard=true", "--md5-etags=false", "--clock-skew=-20m"}, got); diff != "" || err != nil {
		t.Errorf("%s%v", diff, err)
	}
	for value, want := range map[string]string{
		"bandwidth":                 "lacks a value",
		"bandwidth=fast":            "is not a size",
		"nothing=1":                 "is not a flag of 'plimsoll serve s3'",
		"listen=:80":                "is chosen by the run itself",
		"secret-key=x":              "is chosen by the run itself",
		"discard=perhaps":           "neither true nor false",
		"stall-part=3":              "need each other",
		"error-rate=200%":           "must be from 0 to 1",
		"bandwidth=1":               "is too little",
		"fail-part=-1":              "count from 1",
		"idle-timeout=0s":           "is not a positive time",
		"max-requests=0":            "is not positive",
		"full=-1":                   "is not a size",
		"reset-rate=nan":            "is not a share",
		"seed=18446744073709551616": "is too large",
	} {
		if _, err := s3target.Target().Args([]string{value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
	if _, err := s3target.Target().Args([]string{"dir=/tmp/x", "discard"}); err == nil {
		t.Error("--dir and --discard together")
	}
	var given []string
	names := s3target.Target().Flag(&given).Words
	if !slices.Contains(names, "discard") || !slices.Contains(names, "bandwidth=") || slices.Contains(names, "listen=") {
		t.Errorf("names %q", names)
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
