package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// mostInputs and mostBytes bound what is kept of a target: each input costs every run of the tests.
	mostInputs = 20
	mostBytes  = 100_000
	// largest is the size of an input that is not tried: what it reaches a smaller one nearly always does, too.
	largest = 20_000
)

// cacheDir is where the fuzzer keeps what it found.
func cacheDir(ctx context.Context) (string, error) {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	return filepath.Join(strings.TrimSpace(string(cache)), "fuzz"), err
}

// keep brings what is worth it from the fuzzer's cache into testdata/fuzz of the package, and says how many inputs there
// are.
func (t target) keep(ctx context.Context, cache string) (int, error) {
	corpus := filepath.Join(t.dir, "testdata", "fuzz", t.name)
	there, err := inputs(corpus)
	if err != nil {
		return 0, err
	}
	found, err := inputs(filepath.Join(cache, t.pkg, t.name))
	found = slices.DeleteFunc(found, func(in []byte) bool {
		return slices.ContainsFunc(there, func(one []byte) bool { return bytes.Equal(one, in) })
	})
	if err != nil || len(found) == 0 {
		return len(there), err
	}
	work, err := os.MkdirTemp("", "plimsoll-fuzz-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-cover", "-o", program, t.pkg)
	if said, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", t.pkg, err, said)
	}
	tried := trial{target: t, program: program, dir: work, reached: map[string]bool{}}
	if _, err := tried.adds(ctx, t.name); err != nil { // the seeds, and what is kept already
		return 0, err
	}
	room := mostBytes
	for _, in := range there {
		room -= len(in)
	}
	kept := len(there)
	for _, in := range found {
		if kept >= mostInputs || len(in) > room {
			break
		}
		more, err := tried.input(ctx, corpus, in)
		if err != nil {
			return kept, err
		}
		if more {
			kept++
			room -= len(in)
		}
	}
	return kept, nil
}

// inputs are those in a directory, the small ones first.
func inputs(dir string) ([][]byte, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if len(text) <= largest {
			all = append(all, text)
		}
	}
	slices.SortFunc(all, func(a, b []byte) int { return cmp.Or(len(a)-len(b), bytes.Compare(a, b)) })
	return all, nil
}

// trial is which statements of a package the inputs have reached so far.
type trial struct {
	target
	program, dir string
	reached      map[string]bool
}

// input puts an input where the tests find it, and takes it away again where it reaches nothing new.
func (t *trial) input(ctx context.Context, corpus string, in []byte) (more bool, err error) {
	sum := sha256.Sum256(in)
	id := hex.EncodeToString(sum[:8])
	name := filepath.Join(corpus, id)
	if err := os.MkdirAll(corpus, 0o755); err != nil {
		return false, err
	}
	if err := os.WriteFile(name, in, 0o644); err != nil {
		return false, err
	}
	defer func() {
		if !more {
			_ = os.Remove(name)
			_ = os.Remove(corpus) // where it is empty
		}
	}()
	return t.adds(ctx, t.name+"/"+id)
}

// adds runs tests and reports whether they reach statements that none did before.
func (t *trial) adds(ctx context.Context, tests string) (more bool, err error) {
	profile := filepath.Join(t.dir, "profile")
	words := strings.Split(tests, "/")
	for i := range words {
		words[i] = "^" + words[i] + "$"
	}
	cmd := exec.CommandContext(ctx, t.program, "-test.run", strings.Join(words, "/"), "-test.coverprofile", profile)
	cmd.Dir = t.target.dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return false, fmt.Errorf("%s: %w: %s", tests, err, said)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(text)) {
		block, times, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(line, "mode:") && !strings.HasSuffix(times, " 0") && !t.reached[block] {
			t.reached[block], more = true, true
		}
	}
	return more, nil
}
