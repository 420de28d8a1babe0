package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The image is taken apart by somebody else's program, and run from the root that it makes.
func checkImage(t *testing.T, dist string) {
	in, err := os.Open(filepath.Join(dist, "plimsoll_"+testVersion+"_image.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	dir := t.TempDir()
	untar(t, in, dir)
	loadable(t, dir)
	umoci := fetched(t, "umoci")
	made := filepath.Join(t.TempDir(), "bundle")
	args := []string{"unpack", "--image", dir + ":" + testVersion, made}
	if os.Geteuid() != 0 {
		args = append([]string{"unpack", "--rootless"}, args[1:]...)
	}
	tell(t, exec.CommandContext(t.Context(), umoci, args...))
	configured(t, filepath.Join(made, "config.json"))
	root := filepath.Join(made, "rootfs")
	trusts(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	for _, name := range []string{"data", "tmp"} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().String() != "dtrwxrwxrwx" {
			t.Errorf("/%s: %v, %v", name, info.Mode(), err)
		}
	}
	runsFrom(t, root)
}

// loadable checks what 'docker load' reads, which has always been another file than the layout's own.
func loadable(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var images []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(text, &images); err != nil {
		t.Fatal(err)
	}
	if len(images) != 1 || fmt.Sprint(images[0].RepoTags) != "[plimsoll/plimsoll:"+testVersion+"]" || len(images[0].Layers) != 3 {
		t.Fatalf("its images are %+v", images)
	}
	for _, blob := range append(images[0].Layers, images[0].Config) {
		sum, err := sumOf(filepath.Join(dir, blob))
		if want := filepath.Base(blob); err != nil || fmt.Sprintf("%x", sum) != want {
			t.Errorf("%s: %v, sum %x", blob, err, sum)
		}
	}
}

func configured(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Process struct {
			User struct{ UID, GID int }
			Args []string
			Env  []string
			Cwd  string
		}
		Annotations map[string]string
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	p := config.Process
	if p.User.UID != user && os.Geteuid() == 0 || fmt.Sprint(p.Args) != "[/usr/bin/plimsoll]" || p.Cwd != "/data" ||
		!strings.Contains(fmt.Sprint(p.Env), "XDG_STATE_HOME=/data") {
		t.Errorf("it runs as %+v", p)
	}
	if got := config.Annotations["org.opencontainers.image.version"]; got != testVersion {
		t.Errorf("its label has the version %q", got)
	}
}

// trusts checks that a TLS client finds somebody to trust.
func trusts(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			t.Error(err)
		}
		count++
	}
	if count < 50 {
		t.Errorf("it trusts %d authorities only", count)
	}
}

// runsFrom runs the program with nothing but the image's root, as its user: a demo, whose server is a child of the same
// file, and which is kept in /data. As every runtime of containers does, it gets /proc; without it the program does not
// know its own file, and the demo says so.
func runsFrom(t *testing.T, root string) {
	if os.Geteuid() != 0 {
		t.Skip("to run from another root needs root")
	}
	as := fmt.Sprintf("--userspec=%d:%[1]d", user)
	inside := func(args ...string) *exec.Cmd {
		script := `mkdir -p "$0/proc" && mount -t proc proc "$0/proc" && exec chroot ` + as + ` "$0" /usr/bin/plimsoll "$@"`
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
			script, root}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/data", "XDG_STATE_HOME=/data"}
		return cmd
	}
	if out, err := inside("version").CombinedOutput(); err != nil {
		t.Skipf("no process can have a /proc of its own here: %v: %s", err, out)
	}
	saysVersion(t, inside("--version"))
	var document struct {
		Host   struct{ OS, Arch string }
		Totals struct{ OK int }
	}
	text := tellMeasured(t, inside("chat", "--duration", "1s", "--warmup-messages", "10", "--quiet", "--json"))
	if err := json.Unmarshal([]byte(text), &document); err != nil || document.Totals.OK == 0 || document.Host.Arch != runtime.GOARCH {
		t.Errorf("%v, %+v", err, document)
	}
	if kept, _ := filepath.Glob(filepath.Join(root, "data/plimsoll/runs/*/run.json")); len(kept) != 1 {
		t.Errorf("it kept %q", kept)
	}
}

// tellMeasured is tell for a run whose verdict, on a busy machine, may be that it is not to be trusted.
func tellMeasured(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 4 {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, problems.String())
	}
	return string(out)
}
