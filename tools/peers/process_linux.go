package main

import "syscall"

// dies has a child end with this program, however that ends.
func dies() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
