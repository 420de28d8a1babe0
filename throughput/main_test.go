package throughput

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails if a test leaks goroutines. It does not use goleak because a dependency of the tests would be one of
// every program that imports this module.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if left := leftBehind(); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "%d goroutines are left:\n\n%s\n", len(left), bytes.Join(left, []byte("\n\n")))
			code = 1
		}
	}
	os.Exit(code)
}

// leftBehind returns the stacks of goroutines that do not end, except this one and those of the runtime and the testing
// package. It waits for those that are about to end.
func leftBehind() (left [][]byte) {
	buffer := make([]byte, 1<<20)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for range 12_000 {
		left = nil
		stacks := bytes.Split(buffer[:runtime.Stack(buffer, true)], []byte("\n\n"))
		for _, stack := range stacks[1:] { // the first is this one
			own := [][]byte{[]byte("testing.(*T)."), []byte("testing.(*M)."), []byte("testing.runFuzzing"),
				[]byte("os/signal.signal_recv")}
			if !containsAny(stack, own) {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			break
		}
		<-again.C
	}
	return left
}

func containsAny(text []byte, parts [][]byte) bool {
	for _, p := range parts {
		if bytes.Contains(text, p) {
			return true
		}
	}
	return false
}
