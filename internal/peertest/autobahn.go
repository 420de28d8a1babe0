package peertest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// package state: the linker fills it in.
//
//go:embed autobahn.py
var autobahn string

// AutobahnCases is how many cases there are of the Autobahn test suite: all of the version that tools/python names.
const AutobahnCases = 517

// AutobahnCase is what became of one of them.
type AutobahnCase struct {
	Case, Behavior, Close, Why string
	Passed                     bool
}

// AutobahnClient has the suite's client go through its cases with a server that sends back what it gets.
func AutobahnClient(t testing.TB, url string) []AutobahnCase {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), Python(t), "-c", autobahn, "client", url).Output()
	if err != nil {
		t.Fatal(err)
	}
	return autobahnCases(t, strings.NewReader(string(said)))
}

// AutobahnServer starts the suite's server, until the test ends. results waits until a client has been through all
// cases, and has asked for /updateReports.
func AutobahnServer(t testing.TB) (url string, results func() []AutobahnCase) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Python(t), "-c", autobahn, "server")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context has ended it
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n')
	if url = strings.TrimSpace(line); !strings.HasPrefix(url, "ws://") {
		if url == missing {
			t.Skip(needsPython)
		}
		t.Fatalf("the server says %q: %v", line, err)
	}
	return url, func() []AutobahnCase { return autobahnCases(t, said) }
}

const (
	missing     = "missing"
	needsPython = "the Autobahn test suite needs Python from 3.10 on"
)

func autobahnCases(t testing.TB, said io.Reader) (out []AutobahnCase) {
	t.Helper()
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if lines.Text() == missing {
			t.Skip(needsPython)
		}
		var c AutobahnCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, c)
	}
	if len(out) != AutobahnCases {
		t.Errorf("%d cases ran of %d", len(out), AutobahnCases)
	}
	for _, c := range out {
		if !c.Passed {
			t.Errorf("case %s: %s, %s: %s", c.Case, c.Behavior, c.Close, c.Why)
		}
	}
	return out
}
