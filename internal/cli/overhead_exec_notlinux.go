//go:build unix && !linux

package cli

import "syscall"

func endWithUs(*syscall.SysProcAttr) {}
