package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const testVersion = "v0.1.0-test"

// What 'make release' makes for this machine's processor is used as those would who get it.
func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("it compiles the product for Linux, and runs it")
	}
	t.Chdir(filepath.Join("..", ".."))
	t.Setenv("GOWORK", "") // the test's own is off
	dist := released(t)
	t.Run("checksums", func(t *testing.T) { checkSums(t, dist) })
	t.Run("archive", func(t *testing.T) { checkArchive(t, dist) })
	t.Run("sbom", func(t *testing.T) { checkSBOM(t, dist) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, dist) })
	t.Run("rpm", func(t *testing.T) { checkRPM(t, dist) })
	t.Run("image", func(t *testing.T) { checkImage(t, dist) })
	t.Run("twice", func(t *testing.T) {
		first, err := os.ReadFile(filepath.Join(dist, sumsFile))
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(filepath.Join(released(t), sumsFile))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("the second time it makes something else (%v):\n%s\n%s", err, first, second)
		}
	})
}

func released(t *testing.T) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	var told bytes.Buffer
	err := run(t.Context(), &told, []string{"-version", testVersion, "-commit", "0123456789ab", "-maintainer",
		"Plimsoll <maintainer@plimsoll.invalid>", "-out", dist, "-ldflags",
		"-s -w -X " + ours + "/internal/run.version=" + testVersion, "linux/" + runtime.GOARCH})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(told.String(), "_image.tar\n") {
		t.Errorf("it says %q", told.String())
	}
	return dist
}

// made is one of the files in dist, such as "deb".
func made(dist, ending string) string {
	return filepath.Join(dist, "plimsoll_"+testVersion+"_linux_"+runtime.GOARCH+"."+ending)
}

func checkSums(t *testing.T, dist string) {
	out := tell(t, exec.CommandContext(t.Context(), "sh", "-c", `cd "$0" && sha256sum --check --strict `+sumsFile, dist))
	entries, err := os.ReadDir(dist)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out, ": OK\n"); got != len(entries)-1 || got != 5 {
		t.Errorf("%d of %d files have a checksum:\n%s", got, len(entries)-1, out)
	}
}

func checkArchive(t *testing.T, dist string) {
	in, err := os.Open(made(dist, "tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	untar(t, plain, dir)
	folder := filepath.Join(dir, strings.TrimSuffix(filepath.Base(made(dist, "tar.gz")), ".tar.gz"))
	binary := filepath.Join(folder, "plimsoll")
	saysVersion(t, exec.CommandContext(t.Context(), binary, "--version"))
	for _, name := range []string{"LICENSE", "README.md", "docs/README.md", "completions/plimsoll.bash", "completions/_plimsoll",
		"completions/plimsoll.fish", "completions/plimsoll.ps1", "man/man1/plimsoll.1", "man/man1/plimsoll-http.1"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	page := tell(t, exec.CommandContext(t.Context(), "cat", filepath.Join(folder, "man/man1/plimsoll.1")))
	if date, err := commitDate(t.Context()); err != nil || !strings.Contains(page, date.Format("Jan 2006")) {
		t.Errorf("%v; the manual page is not of the commit's month:\n%.300s", err, page)
	}
	brings(t, binary, filepath.Join(folder, licencesOf))
}

// A binary has a licence beside it for each module in it, for Go's library, and for the script of the page.
func brings(t *testing.T, binary, licences string) {
	t.Helper()
	text := tell(t, exec.CommandContext(t.Context(), "cat", licences))
	names := []string{"std", "uplot"}
	for _, m := range modulesOf(t, binary) {
		if !strings.HasPrefix(m, ours) {
			names = append(names, m)
		}
	}
	for _, name := range names {
		// Once in the list of all, and once above its text.
		if got := strings.Count(text, "\n"+name+" "); got < 2 {
			t.Errorf("%s: the licences name it %d times", name, got)
		}
	}
	for _, phrase := range []string{"Leon Sorokin", "The FreeType Project", "Mozilla Public License", "Liberation"} {
		if !strings.Contains(text, phrase) {
			t.Errorf("the licences have nothing of %q", phrase)
		}
	}
}

func modulesOf(t *testing.T, binary string) []string {
	t.Helper()
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range info.Deps {
		names = append(names, m.Path)
	}
	if len(names) < 50 {
		t.Fatalf("the binary has %d modules only", len(names))
	}
	return names
}

func checkSBOM(t *testing.T, dist string) {
	text, err := os.ReadFile(made(dist, "cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range bom.Components {
		names = append(names, c.Name)
		if c.Version == "" || !strings.HasSuffix(c.Purl, c.Name+"@"+c.Version) {
			t.Errorf("%+v: a component without a version, or of another name", c)
		}
	}
	want := append(modulesOf(t, unpacked(t, made(dist, "deb"))), "std", "uplot")
	slices.Sort(want)
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("it names %q, and the binary has %q", names, want)
	}
	python(t, `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(wrong) if wrong else 0)`, made(dist, "cdx.json"))
}

// python runs a program with the foreign peers of 'make test-release', which has set them up.
func python(t *testing.T, program string, args ...string) {
	t.Helper()
	at := os.Getenv("PLIMSOLL_PYTHON")
	if at == "" {
		t.Skip("PLIMSOLL_PYTHON is not set; run 'make test-release'")
	}
	tell(t, exec.CommandContext(t.Context(), at, append([]string{"-c", program}, args...)...))
}

func saysVersion(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out := tell(t, cmd); !strings.HasPrefix(out, "plimsoll "+testVersion) {
		t.Errorf("%s says %q", cmd, out)
	}
}

// tell runs a command and returns what it prints.
func tell(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out.String(), problems.String())
	}
	return out.String()
}

func untar(t *testing.T, from io.Reader, dir string) {
	t.Helper()
	for in := tar.NewReader(from); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(head.Name))
		if head.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o755)
		} else {
			var text []byte
			if text, err = io.ReadAll(in); err == nil {
				err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, head.FileInfo().Mode().Perm()))
			}
		}
		// What the umask took away, and bits that only chmod sets.
		if err := errors.Join(err, os.Chmod(name, head.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	}
}

// Windows gets another kind of archive, which is made here of less than a binary.
func TestZip(t *testing.T) {
	source := filepath.Join(t.TempDir(), "some")
	if err := os.WriteFile(source, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	date := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	if err := writeZip(&packed, date, "top", []file{{source, "plimsoll.exe"}, {source, "man/man1/plimsoll.1"}}); err != nil {
		t.Fatal(err)
	}
	in, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"top/plimsoll.exe -rwxr-xr-x", "top/man/man1/plimsoll.1 -rw-r--r--"} {
		f := in.File[i]
		if got := f.Name + " " + f.Mode().String(); got != want || !f.Modified.Equal(date) || f.UncompressedSize64 != 4 {
			t.Errorf("it has %s of %s, and not %s", got, f.Modified, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "-version"},
		{[]string{"-version", "v 1"}, "-version"},
		{[]string{"-version", "v1.0.0", "-out", "docs"}, "would be emptied"},
		{[]string{"-version", "v1.0.0", "plan9/amd64"}, `"plan9/amd64" is no platform`},
	} {
		if _, err := parse(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	unknown := part{name: "example.org/x", version: "v1.0.0"}
	if err := unknown.check(); err == nil {
		t.Error("a part without a licence is taken")
	}
	unknown.licences = []string{"AGPL-3.0"}
	if err := unknown.check(); err == nil {
		t.Error("a part is taken whose licence nobody has read")
	}
}

func TestPackageVersion(t *testing.T) {
	for version, want := range map[string]string{"v0.2.0": "0.2.0", "v1.0.0-rc.1": "1.0.0-rc.1", "abc123-dirty": "0.0.0-0.abc123-dirty"} {
		if got := packageVersion(version); got != want {
			t.Errorf("%s: %s, and not %s", version, got, want)
		}
	}
}
