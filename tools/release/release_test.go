package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRelease prepares a release in a copy of the clone, and uses its modules as those would who
// have them from a proxy.
func TestRelease(t *testing.T) {
	clone, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "clone")
	if err := copyTracked(t.Context(), clone, copied); err != nil {
		t.Fatal(err)
	}
	t.Chdir(copied)
	inClone(t, "git", "init", "--quiet")
	version, err := contentVersion(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	version = strings.Replace(version, "check", "test", 1)
	t.Cleanup(func() {
		if err := forget(context.WithoutCancel(t.Context()), version); err != nil {
			t.Error(err)
		}
	})
	var told bytes.Buffer
	if err := run(t.Context(), &told, []string{"prepare", version}); err != nil {
		t.Fatal(err)
	}
	checkTags(t, told.String(), version)
	// What was prepared is what the tags will have: tidy, and with the sums of those before it.
	proxy := filepath.Join(t.TempDir(), "proxy")
	if err := run(t.Context(), &told, []string{"proxy", version, proxy}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"throughput", "throughput/promthroughput", "throughput/otelthroughput", "throughput/awsthroughput",
		"."} {
		if diff := outside(t, dir, proxy, "go", "mod", "tidy", "-diff"); diff != "" {
			t.Errorf("%s is not tidy:\n%s", dir, diff)
		}
	}
	if packages := inClone(t, "go", "list", "work"); !strings.Contains(packages, ours+"/throughput/otelthroughput\n") {
		t.Errorf("the workspace has only\n%s", packages)
	}
	t.Run("an importer that has nothing", func(t *testing.T) { importsNothing(t, proxy, version) })
	t.Run("an importer with old versions", func(t *testing.T) { importsOld(t, proxy, version) })
	t.Run("go install", func(t *testing.T) { installs(t, proxy, version) })
}

// The tags are told in the order in which they can be used: each behind what it requires.
func checkTags(t *testing.T, told, version string) {
	t.Helper()
	var tags []string
	for line := range strings.Lines(told) {
		if after, is := strings.CutPrefix(line, "git tag "); is {
			name, _, _ := strings.Cut(after, " ")
			tags = append(tags, strings.TrimSuffix(name, version))
		}
	}
	if len(tags) != 5 || tags[0] != "throughput/" || tags[4] != "" ||
		!slices.Contains(tags, "throughput/promthroughput/") || !slices.Contains(tags, "throughput/otelthroughput/") ||
		!slices.Contains(tags, "throughput/awsthroughput/") {
		t.Errorf("the tags are %q", tags)
	}
}

// The library alone is all that an import of it brings.
func importsNothing(t *testing.T, proxy, version string) {
	dir := importer(t, "require "+ours+"/throughput "+version)
	main := "package main\n\nimport _ \"" + ours + "/throughput\"\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o644); err != nil {
		t.Fatal(err)
	}
	outside(t, dir, proxy, "go", "mod", "tidy")
	outside(t, dir, proxy, "go", "vet", "./...")
	want := "example.org/importer\n" + ours + "/throughput " + version + "\n"
	if got := outside(t, dir, proxy, "go", "list", "-m", "all"); got != want {
		t.Errorf("its modules are\n%s", got)
	}
}

// An import of the library changes no version of anything else.
func importsOld(t *testing.T, proxy, version string) {
	const old = `require (
	go.opentelemetry.io/otel v1.32.0
	google.golang.org/grpc v1.70.0
)
`
	modules := func(dir string) []string {
		return strings.Split(strings.TrimSpace(outside(t, dir, proxy, "go", "list", "-mod=mod", "-m", "all")), "\n")
	}
	before := modules(importer(t, old))
	after := modules(importer(t, old+"require "+ours+"/throughput "+version))
	if !slices.Contains(before, "google.golang.org/grpc v1.70.0") {
		t.Fatalf("it has\n%s", strings.Join(before, "\n"))
	}
	after = slices.DeleteFunc(after, func(m string) bool { return m == ours+"/throughput "+version })
	if !slices.Equal(before, after) {
		t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

func importer(t *testing.T, requires string) string {
	t.Helper()
	dir := t.TempDir()
	mod := "module example.org/importer\n\ngo 1.26.0\n\n" + requires + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The product can be installed without a clone. This takes a minute: it is compiled from the
// module cache.
func installs(t *testing.T, proxy, version string) {
	if testing.Short() {
		t.Skip("it compiles the product")
	}
	bin := t.TempDir()
	t.Setenv("GOBIN", bin)
	outside(t, t.TempDir(), proxy, "go", "install", ours+"/cmd/plimsoll@"+version)
	if told := outside(t, bin, proxy, filepath.Join(bin, "plimsoll"), "version"); !strings.HasPrefix(told,
		"plimsoll "+version+", ") {
		t.Errorf("it says %q", told)
	}
}

// outside runs a command as somebody would who has no clone, and returns what it prints.
func outside(t *testing.T, dir, proxy string, args ...string) string {
	t.Helper()
	return output(t, command(t.Context(), dir, proxy, args...))
}

// inClone runs a command in the copied clone.
func inClone(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOWORK=") // the test's own is off
	return output(t, cmd)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s%s", cmd, err, out.String(), problems.String())
	}
	return out.String()
}
