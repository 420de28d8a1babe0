package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: release check | tidy | prepare VERSION | proxy VERSION DIR")

func run(ctx context.Context, out io.Writer, args []string) (err error) {
	if len(args) == 0 {
		return errUsage
	}
	dir, err := os.MkdirTemp("", "plimsoll-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	switch command := args[0]; {
	case command == "check" && len(args) == 1:
		return check(ctx, out, dir)
	case command == "tidy" && len(args) == 1:
		return tidy(ctx, dir)
	case command == "prepare" && len(args) == 2:
		return prepare(ctx, out, dir, args[1])
	case command == "proxy" && len(args) == 3:
		proxy, err := filepath.Abs(args[2])
		if err != nil {
			return err
		}
		_, err = build(ctx, ".", dir, proxy, args[1])
		return err
	}
	return errUsage
}

func check(ctx context.Context, out io.Writer, dir string) error {
	modules, err := throwaway(ctx, dir)
	if err != nil {
		return err
	}
	clean := true
	for _, m := range modules {
		for _, name := range []string{"go.mod", "go.sum"} {
			if m.before[name] != m.after[name] {
				clean = false
				fmt.Fprintf(out, "%s is not tidy:\n", filepath.Join(m.dir, name))
				onlyIn(out, "-", m.before[name], m.after[name])
				onlyIn(out, "+", m.after[name], m.before[name])
			}
		}
	}
	if !clean {
		return errors.New("'make tidy' is needed")
	}
	return nil
}

// onlyIn prints the lines of a that b has not.
func onlyIn(out io.Writer, mark, a, b string) {
	there := slices.Collect(strings.Lines(b))
	for line := range strings.Lines(a) {
		if !slices.Contains(there, line) {
			fmt.Fprint(out, mark, line)
		}
	}
}

func tidy(ctx context.Context, dir string) error {
	modules, err := throwaway(ctx, dir)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.keep(); err != nil {
			return err
		}
	}
	return nil
}

// throwaway builds the modules at a version of their content's own: the go command keeps in its
// cache what a version once was.
func throwaway(ctx context.Context, dir string) ([]*module, error) {
	version, err := contentVersion(ctx, ".")
	if err != nil {
		return nil, err
	}
	modules, err := build(ctx, ".", dir, filepath.Join(dir, "proxy"), version)
	return modules, errors.Join(err, forget(ctx, version))
}

func prepare(ctx context.Context, out io.Writer, dir, version string) error {
	modules, err := build(ctx, ".", dir, filepath.Join(dir, "proxy"), version)
	if err != nil {
		return errors.Join(err, forget(ctx, version))
	}
	for _, m := range modules {
		if err := m.release(); err != nil {
			return err
		}
	}
	if err := replaceInWork(version); err != nil {
		return err
	}
	fmt.Fprintf(out, "# go.mod, go.sum and go.work are those of %s: look at them, and then\n", version)
	fmt.Fprintf(out, "git commit -am 'Release %s'\n", version)
	for _, m := range modules {
		if m.published() {
			fmt.Fprintf(out, "git tag %s && git push origin %[1]s\n", m.tag(version))
		}
	}
	return forget(ctx, version)
}
