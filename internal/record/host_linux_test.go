package record

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// The machine is named as its kernel names it.
func TestHostDescription(t *testing.T) {
	for info, want := range map[string]string{
		"": "", "processor\t: 0\nmodel\t\t: 7\nmodel name\t: Some CPU @ 3:2 GHz \n\nmodel name\t: another\n": "Some CPU @ 3:2 GHz",
		"model name\nflags: model name\n": "", "CPU implementer\t: 0x41\n": "",
	} {
		if got := modelIn(info); got != want {
			t.Errorf("%q: %q", info, got)
		}
	}
	var name syscall.Utsname
	if err := syscall.Uname(&name); err != nil {
		t.Fatal(err)
	}
	var release strings.Builder
	for _, c := range name.Release {
		if c != 0 {
			release.WriteByte(byte(c))
		}
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	h := readHost(0)
	if h.Kernel != release.String() || h.CPU != modelIn(string(info)) || h.OS != "linux" || h.Arch != runtime.GOARCH || h.CPUs != runtime.NumCPU() {
		t.Errorf("%+v", h)
	}
	if h := readHost(1 << 20); h.CPUs != 1<<20 {
		t.Errorf("a machine of %d processors", h.CPUs)
	}
}
