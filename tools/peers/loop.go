package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// looped is what the bare loop prints.
type looped struct {
	Requests             int64
	Took, P50, P99, Most time.Duration
	Allocations          float64
}

func bare(b *bench, a asked) ([]string, error) {
	if a.rate > 0 {
		return nil, errOpen
	}
	return []string{b.self, "loop", a.url, strconv.Itoa(a.clients), a.window.String()}, nil
}

func readBare(out string, f *figures) error {
	var got looped
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	f.requests, f.took, f.allocations = got.Requests, got.Took, got.Allocations
	f.median, f.p99, f.most = got.P50, got.P99, got.Most
	return nil
}

// loop asks a URL again and again by Go's client, from so many goroutines for so long, and prints what came of it.
func loop(args []string) error {
	if len(args) != 3 {
		return errors.New("loop URL CLIENTS TIME")
	}
	clients, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	window, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	transport := &http.Transport{
		MaxIdleConnsPerHost: clients, DisableCompression: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: false,
	}
	client := &http.Client{Transport: transport}
	times := make([][]time.Duration, clients)
	var failed atomic.Pointer[error]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for from := time.Now(); from.Sub(began) < window && failed.Load() == nil; {
				if err := get(client, args[0]); err != nil {
					failed.Store(&err)
					return
				}
				to := time.Now()
				times[i] = append(times[i], to.Sub(from))
				from = to
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if why := failed.Load(); why != nil {
		return *why
	}
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	n := len(sorted)
	return json.NewEncoder(os.Stdout).Encode(looped{
		Requests: int64(n), Took: took, P50: sorted[n/2], P99: sorted[n*99/100], Most: sorted[n-1],
		Allocations: float64(after.Mallocs-before.Mallocs) / float64(n),
	})
}

func get(client *http.Client, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server says %s", answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
