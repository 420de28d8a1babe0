package record

import (
	"os"
	"strings"
)

// systemNames gives the kernel's release and the processor's model.
func systemNames() (kernel, cpu string) {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	return strings.TrimSpace(string(release)), cpu
}
