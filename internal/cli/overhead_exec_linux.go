package cli

import "syscall"

// endWithUs has the kernel end the process when we are killed and can end it no more. What it has
// started itself goes on.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
