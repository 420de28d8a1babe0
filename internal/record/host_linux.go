package record

import (
	"os"
	"strings"
)

// systemNames gives the kernel's release and the processor's model.
func systemNames() (kernel, cpu string) {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	info, _ := os.ReadFile("/proc/cpuinfo")
	return strings.TrimSpace(string(release)), modelIn(string(info))
}

// modelIn is the model of the first processor of /proc/cpuinfo; "" where it has none.
func modelIn(info string) string {
	for line := range strings.Lines(info) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
