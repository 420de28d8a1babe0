package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles the program for a platform and returns where it is. What git knows of the tree is not written into it:
// version and commit come with the linker's flags, and a tree without git makes the same bytes.
func (r *release) build(ctx context.Context, p platform) (string, error) {
	out := filepath.Join(r.work, p.os+"_"+p.arch, p.binary())
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", r.ldflags, "-o", out,
		"./cmd/plimsoll")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building for %s: %w", p, err)
	}
	return out, nil
}

// file is one of what goes beside the binary, wherever that is: its place there is the packer's matter.
type file struct {
	source string // on the disk
	name   string // such as man/man1/plimsoll.1
}

// The folders of the common files, by which the packers know what they are.
const (
	completions = "completions/"
	manuals     = "man/man1/"
	documents   = "docs/"
	licencesOf  = "THIRD_PARTY_LICENSES"
)

// common makes the files that are the same for all platforms: the program itself, built for this machine, writes its
// manual pages and completions.
func (r *release) common(ctx context.Context, parts []part) ([]file, error) {
	binary, err := r.build(ctx, host())
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(r.work, "common")
	if err := r.ask(ctx, binary, "", "docs", "man", "--out", filepath.Join(dir, manuals)); err != nil {
		return nil, err
	}
	for shell, name := range map[string]string{"bash": "plimsoll.bash", "zsh": "_plimsoll", "fish": "plimsoll.fish",
		"powershell": "plimsoll.ps1"} {
		if err := r.ask(ctx, binary, filepath.Join(dir, completions, name), "completion", shell); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, licencesOf), []byte(licenceText(parts)), 0o644); err != nil {
		return nil, err
	}
	files, err := below(dir, "")
	if err != nil {
		return nil, err
	}
	pages, err := below("docs", documents) // the README leads there
	if err != nil {
		return nil, err
	}
	return append(append(files, pages...), file{"LICENSE", "LICENSE"}, file{"README.md", "README.md"}), nil
}

// ask runs the program, with what it prints going to a file, if one is named.
func (r *release) ask(ctx context.Context, binary, to string, args ...string) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	if to != "" {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		out, err := os.Create(to)
		if err != nil {
			return err
		}
		defer out.Close()
		cmd.Stdout = out
	}
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("plimsoll %s: %w: %s", strings.Join(args, " "), err, told.String())
	}
	return nil
}

// below are the files of a directory, in order.
func below(dir, prefix string) ([]file, error) {
	var found []file
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found = append(found, file{path, prefix + filepath.ToSlash(name)})
		return err
	})
	return found, err
}
