package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unpacked is the binary of a Debian package.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("there is no dpkg-deb")
	}
	root := t.TempDir()
	tell(t, exec.CommandContext(t.Context(), "dpkg-deb", "--extract", name, root))
	return filepath.Join(root, "usr/bin/plimsoll")
}

// The files of both kinds of packages, but for those of which there are many.
func wantInstalled() []string {
	return []string{"/usr/bin/plimsoll", "/usr/share/bash-completion/completions/plimsoll", "/usr/share/doc/plimsoll/README.md",
		"/usr/share/doc/plimsoll/docs/README.md", "/usr/share/fish/vendor_completions.d/plimsoll.fish",
		"/usr/share/man/man1/plimsoll-http.1.gz", "/usr/share/man/man1/plimsoll.1.gz"}
}

func checkDeb(t *testing.T, dist string) {
	name := made(dist, "deb")
	binary := unpacked(t, name)
	saysVersion(t, exec.CommandContext(t.Context(), binary, "--version"))
	control := tell(t, exec.CommandContext(t.Context(), "dpkg-deb", "--info", name))
	for _, line := range []string{" Package: plimsoll\n", " Version: 0.1.0~test-1\n", " Section: net\n",
		" Description: Load generator"} {
		if !strings.Contains(control, line) {
			t.Errorf("its control file has no %q:\n%s", line, control)
		}
	}
	listed := tell(t, exec.CommandContext(t.Context(), "dpkg-deb", "--contents", name))
	for line := range strings.Lines(listed) {
		if !strings.Contains(line, " root/root ") || strings.HasPrefix(line, "-rw-rw") {
			t.Errorf("of another owner than root, or others may change it: %s", line)
		}
	}
	for _, file := range append(wantInstalled(), "/usr/share/doc/plimsoll/copyright", "/usr/share/doc/plimsoll/"+licencesOf,
		"/usr/share/zsh/vendor-completions/_plimsoll") {
		if !strings.Contains(listed, " ."+file+"\n") {
			t.Errorf("it has no %s", file)
		}
	}
	installs(t, name)
	readsManual(t, filepath.Join(binary, "../../share/man/man1/plimsoll-http.1.gz"))
}

// installs puts the package into a system that has nothing else.
func installs(t *testing.T, name string) {
	if os.Geteuid() != 0 {
		t.Log("not installed by dpkg: that needs root")
		return
	}
	root := t.TempDir()
	for _, dir := range []string{"updates", "info", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) string {
		return tell(t, exec.CommandContext(t.Context(), "dpkg", append([]string{"--root=" + root, "--force-not-root",
			"--force-architecture", "--log=/dev/null"}, args...)...))
	}
	dpkg("--install", name)
	saysVersion(t, exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/plimsoll"), "--version"))
	if status := dpkg("--status", "plimsoll"); !strings.Contains(status, "Status: install ok installed") {
		t.Errorf("dpkg says of it\n%s", status)
	}
	dpkg("--verify", "plimsoll")
	dpkg("--purge", "plimsoll")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/plimsoll")); !os.IsNotExist(err) {
		t.Errorf("after it was purged: %v", err)
	}
}

func readsManual(t *testing.T, page string) {
	if _, err := exec.LookPath("man"); err != nil {
		t.Log("the manual page is not read: there is no man")
		return
	}
	cmd := exec.CommandContext(t.Context(), "man", "--local-file", "--pager=cat", "--warnings", page)
	cmd.Env = append(os.Environ(), "MANWIDTH=80")
	if text := tell(t, cmd); !strings.Contains(text, "EXIT STATUS") {
		t.Errorf("man shows\n%.500s", text)
	}
}

func checkRPM(t *testing.T, dist string) {
	name := made(dist, "rpm")
	listed := strings.Fields(tellRPM(t, "rpm", "--query", "--list", "--package", name))
	for _, file := range append(wantInstalled(), "/usr/share/licenses/plimsoll/LICENSE",
		"/usr/share/licenses/plimsoll/"+licencesOf, "/usr/share/zsh/site-functions/_plimsoll") {
		if !slices.Contains(listed, file) {
			t.Errorf("it has no %s", file)
		}
	}
	head := tellRPM(t, "rpm", "--query", "--package", "--queryformat", "%{NAME} %{VERSION} %{RELEASE} %{LICENSE} %{BUILDHOST}", name)
	if head != "plimsoll 0.1.0~test 1 Apache-2.0 localhost" {
		t.Errorf("rpm says of it %q", head)
	}
	tellRPM(t, "rpmkeys", "--checksig", "--nosignature", name)
	if os.Geteuid() != 0 {
		t.Log("not installed by rpm: that needs root")
		return
	}
	root := t.TempDir()
	tellRPM(t, "rpm", "--install", "--root", root, "--nodeps", "--ignorearch", name)
	saysVersion(t, exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/plimsoll"), "--version"))
}

// tellRPM runs a program of rpm's, that of the system or the one that 'make test-release' has fetched.
func tellRPM(t *testing.T, name string, args ...string) string {
	t.Helper()
	if at, err := exec.LookPath(name); err == nil {
		return tell(t, exec.CommandContext(t.Context(), at, args...))
	}
	at := fetched(t, name)
	usr := filepath.Dir(filepath.Dir(at))
	libraries, err := filepath.Glob(filepath.Join(usr, "lib", "*-linux-*"))
	if err != nil || len(libraries) == 0 {
		t.Fatalf("its libraries are not there: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), at, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries[0], "RPM_CONFIGDIR="+filepath.Join(usr, "lib/rpm"))
	return tell(t, cmd)
}

// fetched is a program that tools/package/install.sh took out of its package.
func fetched(t *testing.T, name string) string {
	t.Helper()
	at := filepath.Join(os.Getenv("PLIMSOLL_PACKAGES"), "usr/bin", name)
	if _, err := os.Stat(at); os.Getenv("PLIMSOLL_PACKAGES") == "" || err != nil {
		t.Skipf("there is no %s; 'make test-release' fetches it where it can", name)
	}
	return at
}
