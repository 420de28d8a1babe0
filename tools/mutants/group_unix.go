//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the head of a group, which is killed whole: tests start processes of their own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// bounded is the command with a bound on its memory: a loop that a mutant made endless may fill it. Root, who may do
// anything, has devices that cannot be renamed or removed, where the system can do that: a mutant that lost the
// question whether a file is a device has moved /dev/null of a whole machine away.
func bounded(binary string, args []string) (string, []string) {
	return "/bin/sh", append([]string{"-c", limits, binary}, args...)
}

const limits = `ulimit -v 8000000
fence='mount --rbind /dev /dev && mount -o remount,bind,ro /dev'
if [ "$(id -u)" = 0 ] && unshare --mount sh -c "$fence" 2>/dev/null; then
	exec unshare --mount sh -c "$fence"' && exec "$0" "$@"' "$0" "$@"
fi
exec "$0" "$@"`
