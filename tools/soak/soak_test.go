package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestGrown(t *testing.T) {
	flat, steps := looks{}, looks{}
	for i := range 90 {
		flat = append(flat, look{memory: 50_000_000, files: 10, threads: 8})
		steps = append(steps, look{memory: int64(i) * 3_000_000, files: i, threads: i})
	}
	flat[3] = look{memory: 500_000_000, files: 100, threads: 80} // warming up
	if err := grown(flat.thirds()); err != nil {
		t.Error(err)
	}
	if second, last := flat.thirds(); second != flat[30] || last != flat[89] {
		t.Errorf("%+v, %+v", second, last)
	}
	second, last := steps.thirds()
	if second.files != 59 || last.files != 89 {
		t.Fatalf("%+v, %+v", second, last)
	}
	for _, one := range []look{{memory: last.memory, files: 59, threads: 59}, {memory: second.memory, files: 89, threads: 59},
		{memory: second.memory, files: 59, threads: 89}} {
		if grown(second, one) == nil {
			t.Errorf("%+v is no growth from %+v", one, second)
		}
	}
	_, _ = looks{}.thirds()
}

func TestLookAt(t *testing.T) {
	l, err := lookAt(os.Getpid())
	if err != nil || l.memory < 1_000_000 || l.files < 3 || l.threads < 1 {
		t.Errorf("%+v, %v", l, err)
	}
	// The same in pages; between the two it may have taken some more.
	var size, pages int64
	text, err := os.ReadFile("/proc/self/statm")
	if _, no := fmt.Sscan(string(text), &size, &pages); err != nil || no != nil {
		t.Fatal(err, no)
	}
	if of := float64(l.memory) / float64(pages*int64(os.Getpagesize())); of < 0.99 || of > 1.01 {
		t.Errorf("%d bytes, and %d pages", l.memory, pages)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := lookAt(gone.Process.Pid); err == nil {
		t.Error("a process that has ended takes something")
	}
}

// What ends with a stack trace is told, and what has a status that no run has.
func TestEnds(t *testing.T) {
	for script, fine := range map[string]bool{
		"exit 0": true, "exit 4": true, "exit 2": false, "echo 'goroutine 1 [running]:'": false, "echo 'panic: oh' >&2": false,
	} {
		s := &soaking{binary: "/bin/sh", dir: t.TempDir()}
		p := s.start("-c", script)
		p.wait(t.Context(), time.Minute)
		if err := p.end(os.Interrupt); (err == nil) != fine {
			t.Errorf("%s: %v", script, err)
		}
	}
}
