package record

import (
	"runtime"

	"github.com/plimsoll/plimsoll/rundoc"
)

// readHost describes the machine, which has so many CPUs; where that is not known, those that this process may
// run on stand for them.
func readHost(cpus int) rundoc.Host {
	kernel, cpu := systemNames()
	return rundoc.Host{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel, CPU: cpu, CPUs: max(cpus, runtime.NumCPU()),
	}
}
