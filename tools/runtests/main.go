package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Stdout, os.Args[1:])
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		stop()
		os.Exit(ended.ExitCode()) // go test has said why
	case err != nil:
		fmt.Fprintln(os.Stderr, "runtests:", err)
		stop()
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: runtests FILE ARGUMENTS | runtests -say FILE | runtests -concurrent PATTERN | " +
	"runtests -beside PATTERN")

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	switch args[0] {
	case "-concurrent", "-beside":
		names, err := concurrent(ctx, args[1], args[0] == "-concurrent")
		for _, name := range names {
			fmt.Fprintln(out, name)
		}
		return err
	case "-say":
	default:
		return test(ctx, out, args[0], args[1:])
	}
	fates, err := readFates(args[1])
	if err != nil {
		return err
	}
	tell(out, fates)
	return nil
}

func goCommand() string { return cmp.Or(os.Getenv("GO"), "go") }

// test runs go test. An interrupt is for go test, which ends its tests and says so.
func test(ctx context.Context, out io.Writer, list string, args []string) error {
	command := []string{"test"}
	if args[0] == "-C" && len(args) > 1 { // which comes first
		command, args = append(command, args[:2]...), args[2:]
	}
	cmd := exec.CommandContext(ctx, goCommand(), append(append(command, "-json"), args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fates, err := follow(out, events)
	if err != nil {
		_ = cmd.Cancel() // or it waits for someone to read
		_, _ = io.Copy(io.Discard, events)
	}
	return errors.Join(err, addFates(list, fates), cmd.Wait())
}
