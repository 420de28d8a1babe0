//go:build !linux

package main

import "syscall"

func dies() *syscall.SysProcAttr { return nil }
