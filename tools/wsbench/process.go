package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// library is one WebSocket library on both sides. echo serves connections of l until it is
// closed. dial connects and returns a function that performs one round trip.
type library struct {
	echo func(l net.Listener)
	dial func(url string) (roundTrip func() error, err error)
	// loop, when set, runs round trips in the library's own style until stop says so.
	loop func(url string, done func() bool) error
}

func serve(lib library) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go lib.echo(l)
	fmt.Printf("ws://%s/\n", l.Addr())
	answer()
	return nil
}

// answer prints the process's figures for every line on stdin, until its end.
func answer() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		debug.FreeOSMemory()
		print(figures{})
	}
}

func print(f figures) {
	if f.User == 0 {
		f.User, f.System = cpu()
	}
	if f.RSS == 0 {
		f.RSS = rss()
	}
	json.NewEncoder(os.Stdout).Encode(f)
}

func echo(lib library, url string) error {
	var messages, failed atomic.Int64
	var wg sync.WaitGroup
	var stop atomic.Bool
	began, user, system := time.Now(), 0.0, 0.0
	user, system = cpu()
	time.AfterFunc(*window, func() { stop.Store(true) })
	for range *clients {
		wg.Go(func() {
			if err := work(lib, url, &messages, &stop); err != nil {
				fmt.Fprintln(os.Stderr, "echo:", err)
				failed.Add(1)
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		return fmt.Errorf("%d connections failed", failed.Load())
	}
	u, s := cpu()
	print(figures{Messages: messages.Load(), Seconds: time.Since(began).Seconds(), User: u - user, System: s - system})
	return nil
}

func work(lib library, url string, messages *atomic.Int64, stop *atomic.Bool) error {
	n := int64(0)
	defer func() { messages.Add(n) }()
	if lib.loop != nil {
		return lib.loop(url, func() bool { n++; return stop.Load() })
	}
	trip, err := lib.dial(url)
	for err == nil && !stop.Load() {
		err = trip()
		n++
	}
	return err
}

// hold opens the idle connections, each used once, and prints how much memory they take.
func hold(lib library, url string) error {
	debug.FreeOSMemory()
	before := rss()
	trips := make([]func() error, *idle)
	for i := range trips {
		trip, err := lib.dial(url)
		if err == nil {
			err = trip()
		}
		if err != nil {
			return err
		}
		trips[i] = trip
	}
	debug.FreeOSMemory()
	print(figures{RSS: rss() - before})
	answer()
	return trips[0]() // keeps them reachable
}

func cpu() (user, system float64) {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano()).Seconds(), time.Duration(u.Stime.Nano()).Seconds()
}

func rss() int64 {
	data, _ := os.ReadFile("/proc/self/statm")
	var size, resident int64
	fmt.Fscan(strings.NewReader(string(data)), &size, &resident)
	return resident * int64(os.Getpagesize())
}
