package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// place is where a program runs.
type place struct {
	cpu       int    // -1: any
	namespace string // of the network; "": this one
	group     string // directory of a control group; "": this one
}

// args are those of launch for a program in this place.
func (p place) args(program ...string) []string {
	return append([]string{"launch", "-cpu", strconv.Itoa(p.cpu), "-netns", p.namespace, "-cgroup", p.group, "--"},
		program...)
}

// launch goes into a place and becomes the program. It is a process of its own because all threads
// of the program have to be there from the first moment, and because no other way into a control
// group works in both of its versions.
func launch(args []string) error {
	var p place
	f := flag.NewFlagSet("launch", flag.ContinueOnError)
	f.IntVar(&p.cpu, "cpu", -1, "")
	f.StringVar(&p.namespace, "netns", "", "")
	f.StringVar(&p.group, "cgroup", "", "")
	if err := f.Parse(args); err != nil {
		return err
	}
	if p.group != "" {
		procs := filepath.Join(p.group, "cgroup.procs")
		if err := os.WriteFile(procs, []byte(strconv.Itoa(os.Getpid())), 0); err != nil {
			return err
		}
	}
	if p.namespace != "" {
		file, err := os.Open("/run/netns/" + p.namespace)
		if err != nil {
			return err
		}
		if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("setns %s: %w", p.namespace, err)
		}
	}
	if p.cpu >= 0 {
		var set unix.CPUSet
		set.Set(p.cpu)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return err
		}
	}
	return syscall.Exec(f.Arg(0), f.Args(), os.Environ())
}

// hog keeps one CPU busy until it is ended.
func hog() {
	for n := 0; ; n++ {
		_ = n
	}
}
