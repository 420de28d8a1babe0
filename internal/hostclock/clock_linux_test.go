package hostclock

import (
	"os"
	"testing"
)

// TestClockID: that of a boot and of a namespace of time.
func TestClockID(t *testing.T) {
	if a, b, c := idOf("a", "b"), idOf("a", ""), idOf("c", "b"); a == b || a == c || b == c || a != idOf("a", "b") {
		t.Errorf("%d, %d, %d", a, b, c)
	}
	if a, b := idOf("", "b"), idOf("", ""); a != 0 || b != 0 {
		t.Errorf("%d and %d of no boot, which is nobody's", a, b)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Skip(err)
	}
	namespace, _ := os.Readlink("/proc/self/ns/time") // "" where the kernel has none
	if got, want := New().ID(), idOf(string(boot), namespace); got != want {
		t.Errorf("%d instead of %d", got, want)
	}
}
