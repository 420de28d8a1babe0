//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// browse starts plimsoll and requests pages from the server that it announces, as a browser would: browse PATH… -- ARGS….
// It prints the responses, and for a path that begins with @ the events, until their end. It interrupts a view after
// that, and a run in its window. It exits as the program did, with the program's stderr.
func browse() {
	at := slices.Index(os.Args, "--")
	if at < 0 {
		fmt.Fprintln(os.Stderr, "usage: browse PATH… -- ARGS…")
		os.Exit(2)
	}
	paths, args := os.Args[1:at], os.Args[at+1:]
	cmd := exec.Command("plimsoll", args...)
	said := &address{found: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case url := <-said.found:
		interrupt := func() { _ = cmd.Process.Signal(syscall.SIGINT) }
		fetchAll(url, paths, interrupt)
		if args[0] == "view" {
			interrupt()
		}
		err = <-ended
	case err = <-ended:
	}
	fmt.Fprint(os.Stderr, said.String())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
}

// address finds the first address in what a program says.
type address struct {
	mu    sync.Mutex
	text  bytes.Buffer
	told  bool
	found chan string
}

var served = regexp.MustCompile(`(http://\S+)\s`)

func (a *address) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Write(p)
	if m := served.FindSubmatch(a.text.Bytes()); m != nil && !a.told {
		a.told = true
		a.found <- string(m[1])
	}
	return len(p), nil
}

func (a *address) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

// fetchAll opens the address as it was said, and then the paths with the cookies that it gave.
func fetchAll(url string, paths []string, interrupt func()) {
	jar, _ := cookiejar.New(nil) // never fails
	client := &http.Client{Jar: jar, Timeout: 5 * time.Minute}
	defer client.CloseIdleConnections()
	fetch(client, "", url)
	root, _, _ := strings.Cut(url, "?")
	for _, path := range paths {
		rest, stranger := strings.CutPrefix(path, "!") // who has no cookie
		rest, events := strings.CutPrefix(rest, "@")
		asks := client
		if stranger {
			asks = &http.Client{Timeout: 5 * time.Minute}
		}
		if events {
			hear(asks, rest, strings.TrimSuffix(root, "/")+rest, interrupt)
			continue
		}
		fetch(asks, path, strings.TrimSuffix(root, "/")+rest)
	}
}

func fetch(client *http.Client, name, url string) {
	r, err := client.Get(url)
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	fmt.Printf("== %s: %d\n%s\n", name, r.StatusCode, text)
}

// hear prints each event, and the last one once more. It interrupts the run at the second event of its window.
func hear(client *http.Client, name, url string, interrupt func()) {
	r, err := client.Get(url)
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 64<<20)
	count, measuring, last := 0, 0, ""
	for lines.Scan() {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			count++
			last = data
			fmt.Printf("== %s, an event: %s\n", name, data)
			if strings.Contains(data, "MEASURING") {
				if measuring++; measuring == 2 {
					interrupt()
				}
			}
		}
	}
	fmt.Printf("== %s: %d, %v, the last: %s\n", name, r.StatusCode, lines.Err(), last)
	if count > 1 {
		fmt.Println("several events")
	}
}
