package throughput

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain holds that no test leaves a goroutine behind. It does by hand what goleak would: a
// requirement of a test here would be one of every program that imports the library.
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

// leftBehind are the goroutines that do not end, but for this one and what the runtime and the testing
// package have. It looks so often, and not for a time in which they may have had no processor.
func leftBehind() (left [][]byte) {
	buffer := make([]byte, 1<<20)
	for range 3000 {
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
		time.Sleep(10 * time.Millisecond)
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
