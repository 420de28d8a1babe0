package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// look is what a process takes.
type look struct {
	memory         int64 // resident, in bytes
	files, threads int
	goroutines     int // where it tells; else 0
}

type looks []look

// lookAt reads it of a process that goes on.
func lookAt(pid int) (look, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return look{}, err
	}
	var l look
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(words[1], 10, 64) // other lines have no number
		switch words[0] {
		case "VmRSS:":
			l.memory = n * 1024
		case "Threads:":
			l.threads = int(n)
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	l.files = len(files)
	if l.memory == 0 { // it has ended, and nobody has asked how
		return look{}, os.ErrProcessDone
	}
	return l, err
}

// thirds are the most that was taken in the second third of the time, and in the last one. The first is not asked: then it
// warms up.
func (l looks) thirds() (second, last look) {
	n := len(l)
	return l[n/3 : n-n/3].most(), l[n-n/3:].most()
}

func (l looks) most() (m look) {
	for _, one := range l {
		m = look{max(m.memory, one.memory), max(m.files, one.files), max(m.threads, one.threads),
			max(m.goroutines, one.goroutines)}
	}
	return m
}

const (
	memoryRoom = 16_000_000
	countRoom  = 4
	// goroutineRoom is for those of connections that come and go: a run has 20, of two goroutines and more each, and
	// none, one or two of them are there beside the one that lasts.
	goroutineRoom = 100
)

// grown says what is more than it was, and more than chance.
func grown(before, after look) error {
	switch {
	case after.memory > before.memory+before.memory/4+memoryRoom:
		return fmt.Errorf("memory grows from %.1f to %.1f MB", mb(before.memory), mb(after.memory))
	case after.files > before.files+before.files/4+countRoom:
		return fmt.Errorf("open files grow from %d to %d", before.files, after.files)
	case after.threads > before.threads+before.threads/4+countRoom:
		return fmt.Errorf("threads grow from %d to %d", before.threads, after.threads)
	case after.goroutines > before.goroutines+before.goroutines/4+goroutineRoom:
		return fmt.Errorf("goroutines grow from %d to %d", before.goroutines, after.goroutines)
	}
	return nil
}
