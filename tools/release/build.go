package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	modulepath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

// build makes the modules of the clone at a version in a copy below dir, and the proxy that has
// them.
func build(ctx context.Context, clone, dir, proxy, version string) ([]*module, error) {
	if semver.Canonical(version) != version {
		return nil, fmt.Errorf("%q is no version such as v0.2.0", version)
	}
	tree := filepath.Join(dir, "tree")
	if err := copyTracked(ctx, clone, tree); err != nil {
		return nil, err
	}
	modules, err := workspace(tree)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		if err := m.setVersion(tree, version); err != nil {
			return nil, err
		}
		if err := command(ctx, filepath.Join(tree, m.dir), proxy, "go", "mod", "tidy").Run(); err != nil {
			return nil, fmt.Errorf("go mod tidy of %s: %w", m.path, err)
		}
		if err := m.note(clone, tree, version); err != nil {
			return nil, err
		}
		if !m.published() {
			continue
		}
		if err := m.publish(tree, proxy, version); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return modules, nil
}

// command runs with the proxy before the environment's own, and without the workspace: as it would
// for somebody who has no clone.
func command(ctx context.Context, dir, proxy string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+goEnv(ctx, "GOPROXY"),
		"GONOSUMDB="+strings.TrimPrefix(goEnv(ctx, "GONOSUMDB")+","+ours, ","),
		"GOFLAGS="+goEnv(ctx, "GOFLAGS")+" -modcacherw") // so that forget can
	return cmd
}

const ours = "github.com/plimsoll/plimsoll"

func goEnv(ctx context.Context, name string) string {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// publish adds the module to the proxy (the layout is that of 'go help goproxy').
func (m *module) publish(tree, proxy, version string) error {
	at := filepath.Join(proxy, filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(tree, m.dir, "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, modulepath.Version{Path: m.path, Version: version},
		filepath.Join(tree, m.dir)); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2000-01-01T00:00:00Z"}`, version),
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tracked are the files that git knows, and new ones that it does not ignore, as far as they are there.
func tracked(ctx context.Context, clone string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--deduplicate")
	cmd.Dir = clone
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(clone, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files, nil
}

func copyTracked(ctx context.Context, clone, to string) error {
	files, err := tracked(ctx, clone)
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(clone, name))
		if err != nil {
			return err
		}
		copied := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// contentVersion is a version that only this content of the clone has.
func contentVersion(ctx context.Context, clone string) (string, error) {
	files, err := tracked(ctx, clone)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(clone, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(text))
		_, _ = io.WriteString(sum, string(text)) // a hash does not fail
	}
	return fmt.Sprintf("v0.0.0-check.h%x", sum.Sum(nil)[:8]), nil
}

// forget takes what the go command has kept of the version out of its cache.
func forget(ctx context.Context, version string) error {
	cache := goEnv(ctx, "GOMODCACHE")
	if cache == "" {
		return nil
	}
	var problems []error
	for _, pattern := range []string{
		filepath.Join(cache, "cache", "download", filepath.FromSlash(ours), "@v", version+".*"),
		filepath.Join(cache, "cache", "download", filepath.FromSlash(ours), "*", "@v", version+".*"),
		filepath.Join(cache, "cache", "download", filepath.FromSlash(ours), "*", "*", "@v", version+".*"),
		filepath.Join(cache, filepath.FromSlash(ours)+"@"+version),
		filepath.Join(cache, filepath.FromSlash(ours), "*@"+version),
		filepath.Join(cache, filepath.FromSlash(ours), "*", "*@"+version),
	} {
		found, err := filepath.Glob(pattern)
		problems = append(problems, err)
		for _, name := range found {
			problems = append(problems, os.RemoveAll(name))
		}
	}
	return errors.Join(problems...)
}
