package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is what go test -json says: cmd/test2json documents it.
type event struct {
	Action, Package, Test, Output string
}

// fate is what became of a test: it ran, or was left out, and why.
type fate struct {
	Package, Test string
	Ran           bool
	Why           string `json:",omitempty"`
}

// follower prints what go test prints without -json: a line for each package, and what failed tests say.
type follower struct {
	out io.Writer
	// said is what the tests of a package have said that have not ended, "" for the package itself.
	said map[string]map[string]*strings.Builder
	// passed is what those have said that passed: who fails without a failed test has said why among it.
	passed map[string]*strings.Builder
	failed map[string]bool
	fates  []fate
}

func follow(out io.Writer, events io.Reader) ([]fate, error) {
	f := &follower{out: out, said: map[string]map[string]*strings.Builder{}, passed: map[string]*strings.Builder{}, failed: map[string]bool{}}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(bytes.TrimSpace(line), &e) == nil {
			f.take(e)
		} else if len(line) > 0 {
			_, _ = out.Write(line) // some of it comes in words
		}
		if errors.Is(err, io.EOF) {
			return f.fates, nil
		}
		if err != nil {
			return f.fates, err
		}
	}
}

func (f *follower) take(e event) {
	switch e.Action {
	case "output":
		f.of(e.Package, e.Test).WriteString(e.Output)
		if e.Test == "" && isResult(e.Output) {
			f.end(e.Package, e.Output)
		}
	case "build-output":
		fmt.Fprint(f.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			f.ended(e)
		}
	}
}

func (f *follower) of(name, test string) *strings.Builder {
	if f.said[name] == nil {
		f.said[name], f.passed[name] = map[string]*strings.Builder{}, &strings.Builder{}
	}
	if f.said[name][test] == nil {
		f.said[name][test] = &strings.Builder{}
	}
	return f.said[name][test]
}

func (f *follower) ended(e event) {
	said := words(f.of(e.Package, e.Test).String())
	delete(f.said[e.Package], e.Test)
	of := fate{Package: e.Package, Test: e.Test, Ran: e.Action != "skip"}
	if !of.Ran {
		of.Why = reason(said)
	}
	f.fates = append(f.fates, of)
	if e.Action == "fail" {
		f.failed[e.Package] = true
		fmt.Fprint(f.out, said)
		return
	}
	f.passed[e.Package].WriteString(said)
}

// isResult reports whether it is the line that go test has for a package.
func isResult(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "?   \t") ||
		strings.Contains(line, "[no test files]")
}

func (f *follower) end(name, result string) {
	own := strings.TrimSuffix(f.of(name, "").String(), result)
	if strings.HasPrefix(result, "FAIL") {
		if !f.failed[name] {
			fmt.Fprint(f.out, f.passed[name].String())
		}
		for test, said := range f.said[name] { // of what was going on when the program ended
			if test != "" {
				fmt.Fprint(f.out, words(said.String()))
			}
		}
		fmt.Fprint(f.out, own)
	}
	fmt.Fprint(f.out, result)
	delete(f.said, name)
	delete(f.passed, name)
}

// progress is what a test's own name is printed for.
var progress = regexp.MustCompile(`(?m)^=== (RUN|PAUSE|CONT|NAME) .*\n`)

func words(said string) string { return progress.ReplaceAllString(said, "") }

// logged is the head of a message of t.Log and its like.
var logged = regexp.MustCompile(`(?m)^\s*\S+\.go:\d+: `)

// reason is the last message of a test that was skipped.
func reason(said string) string {
	if i := strings.Index(said, "--- SKIP: "); i >= 0 { // the line comes after what a test logs, or before
		line := said[i:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			said = said[:i] + "\n" + line[end+1:]
		} else {
			said = said[:i]
		}
	}
	heads := logged.FindAllStringIndex(said, -1)
	if len(heads) == 0 {
		return "no reason is given"
	}
	if why := strings.Join(strings.Fields(said[heads[len(heads)-1][1]:]), " "); why != "" {
		return why
	}
	return "no reason is given"
}
