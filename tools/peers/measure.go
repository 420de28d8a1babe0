package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// asked is what a generator is to do.
type asked struct {
	url     string
	clients int
	window  time.Duration
	rate    int    // requests a second; 0: as fast as it goes
	ca      string // file with the certificate of a server that speaks TLS
	http2   bool
}

// figures are what came of it.
type figures struct {
	requests    int64         // that were answered
	took        time.Duration // for them
	cpu         time.Duration // of the process, user and system
	median, p99 time.Duration // as the tool says; 0: it does not
	most        time.Duration // the longest, likewise
	allocations float64       // a request; −1: not known
	unsent      int64         // that it says it did not send
}

func (f *figures) rate() float64 { return float64(f.requests) / f.took.Seconds() }

// cost is the processor time of a request, in µs.
func (f *figures) cost() float64 { return float64(f.cpu.Microseconds()) / float64(f.requests) }

// measure runs a generator.
func (b *bench) measure(name string, a asked) (figures, error) {
	f := figures{allocations: -1, took: a.window}
	t, known := tools()[name]
	if !known {
		return f, errors.New("nobody knows it")
	}
	args, err := t.command(b, a)
	if err != nil {
		return f, err
	}
	program, err := b.find(args[0])
	if err != nil {
		return f, err
	}
	cmd := exec.CommandContext(b.ctx, program, args[1:]...)
	cmd.Env = b.environment()
	cmd.SysProcAttr = dies()
	cmd.Dir = b.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	// A Plimsoll that does not trust what it measured says so by its status 4: on a machine that it shares with its
	// target it does.
	if err != nil && !(name == "plimsoll" && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 4) {
		return f, fmt.Errorf("%w: %s", err, lastLine(errs.String()+out.String()))
	}
	f.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err := t.read(out.String(), &f); err != nil {
		return f, err
	}
	if f.requests == 0 {
		return f, errors.New("it had no answer")
	}
	return f, nil
}

// find is where a program is.
func (b *bench) find(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, dir := range []string{"bin", "root/usr/bin"} {
		path := filepath.Join(b.peers, dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("there is no %s", name)
}

// environment has the packages that were taken apart find their libraries.
func (b *bench) environment() []string {
	libraries, _ := filepath.Glob(filepath.Join(b.peers, "root/usr/lib/*-linux-gnu*"))
	return append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"), "K6_NO_USAGE_REPORT=true")
}

// allocated are the allocations of a request, as the benchmark of Plimsoll's room counts them.
func (b *bench) allocated(a asked) (float64, error) {
	cmd := exec.CommandContext(b.ctx, b.allocations, "-test.run", "^$", "-test.bench", "^BenchmarkRequests$",
		"-test.benchtime", "20000x")
	cmd.Env = append(b.environment(), "PLIMSOLL_BENCH_URL="+a.url)
	if a.http2 {
		cmd.Env = append(cmd.Env, "PLIMSOLL_BENCH_HTTP2=yes")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, lastLine(string(out)))
	}
	found := regexp.MustCompile(`([\d.]+) allocs/request`).FindSubmatch(out)
	if found == nil {
		return 0, errors.New(lastLine(string(out)))
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
