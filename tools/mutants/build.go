package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// A bench is where mutants of a package are built and run.
type bench struct {
	root string // the clone
	dir  string // temporary, of this package
	pack *pack
}

// build compiles the tests of a package with these files in the place of those of the clone.
func (b *bench) build(ctx context.Context, name, testDir string, files map[string]string) (binary string, err error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range files {
		to := filepath.Join(dir, "files", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(b.root, filepath.FromSlash(file))] = to
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, filepath.Base(testDir)+".test")
	_, err = command(ctx, b.root, nil, "go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, "./"+testDir)
	return binary, err
}

// alone are the files with one mutant.
func (b *bench) alone(m *mutant) map[string]string {
	return map[string]string{
		m.file.name: string(m.applied()),
		path.Join(b.pack.subject.dir, helperName): fmt.Sprintf(aloneHelper, b.pack.name()),
	}
}

// command runs a program to its end, and gives what it wrote; the error has what it said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	ownGroup(cmd)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return out, fmt.Errorf("%s %s: %w\n%s", name, args[0], err, exit.Stderr)
	}
	return out, err
}
