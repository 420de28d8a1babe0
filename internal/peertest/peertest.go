package peertest

import (
	"bufio"
	_ "embed"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// package state: the linker fills it in.
//
//go:embed moto.py
var moto string

// URL matches a line that is a URL and nothing else.
const URL = `^(http://\S+)$`

// startTime is how long a program may take to say that it is ready, on the slowest of machines.
const startTime = 2 * time.Minute

// Python is the interpreter with the packages of tools/python. Without one the test is skipped.
func Python(t testing.TB) string {
	t.Helper()
	python := os.Getenv("PLIMSOLL_PYTHON")
	if python == "" {
		t.Skip("PLIMSOLL_PYTHON is not set; run 'make test'")
	}
	return python
}

// NodeModules is the directory with the packages of tools/npm. Without it the test is skipped.
func NodeModules(t testing.TB) string {
	t.Helper()
	modules := os.Getenv("PLIMSOLL_NODE_MODULES")
	if modules == "" {
		t.Skip("PLIMSOLL_NODE_MODULES is not set; run 'make test'")
	}
	return modules
}

// Web is the directory with the web servers that tools/web gets. Without it the test is skipped.
func Web(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PLIMSOLL_WEB")
	if _, err := os.Stat(filepath.Join(dir, "ready")); dir == "" || err != nil {
		t.Skip("PLIMSOLL_WEB names no directory with web servers; run 'make test'")
	}
	return dir
}

// Brokers is the directory with the message brokers that tools/brokers gets. Without it the test is skipped.
func Brokers(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PLIMSOLL_BROKERS")
	if _, err := os.Stat(filepath.Join(dir, "ready")); dir == "" || err != nil {
		t.Skip("PLIMSOLL_BROKERS names no directory with message brokers; run 'make test'")
	}
	return dir
}

// Moto starts moto, which answers for AWS's services, with these settings of its environment
// (NAME=VALUE). It returns its URL.
func Moto(t testing.TB, settings ...string) string {
	t.Helper()
	cmd := exec.Command(Python(t), "-c", moto)
	cmd.Env = append(os.Environ(), settings...)
	return Start(t, cmd, URL)
}

// Start starts a program and waits until it prints a line that matches. It returns the match's
// last group. The program ends with the test.
func Start(t testing.TB, cmd *exec.Cmd, ready string) string {
	t.Helper()
	in, err := cmd.StdinPipe() // some end with it, should the test be killed
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	late := time.AfterFunc(startTime, func() { _ = cmd.Process.Kill() })
	said, line := bufio.NewReader(out), regexp.MustCompile(ready)
	var found []string
	var until strings.Builder
	for found == nil && err == nil {
		var text string
		text, err = said.ReadString('\n')
		until.WriteString(text)
		found = line.FindStringSubmatch(strings.TrimRight(text, "\r\n"))
	}
	late.Stop()
	// goroutine: nobody may have to wait for a reader of what it prints; read is closed at its end.
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, said)
	}()
	if found == nil {
		t.Fatalf("%s did not start:\n%s", cmd.Path, &until)
	}
	return found[len(found)-1]
}
