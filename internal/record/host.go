package record

import (
	"runtime"

	"github.com/plimsoll/plimsoll/rundoc"
)

func readHost() rundoc.Host {
	kernel, cpu := systemNames()
	return rundoc.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel, CPU: cpu, CPUs: runtime.NumCPU()}
}
