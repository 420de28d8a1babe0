package throughput_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/throughput"
)

func discard(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }

// Plain net/http: what moved, and whether its rate can be told.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(discard))
	defer server.Close()

	attempts := make(chan *throughput.Timeline, 1)
	observer := throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { attempts <- t })
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: throughput.Wrap(base, observer)}

	request, _ := http.NewRequest(http.MethodPut, server.URL, strings.NewReader("hello"))
	response, err := client.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	t := <-attempts // the attempt is over soon after its answer
	fmt.Println(t.Method, t.Status, t.RequestBytes, "bytes")
	if _, ok := t.WriteThroughputHandoff(); !ok {
		fmt.Println("taken in one piece")
	}
	// Output:
	// PUT 200 5 bytes
	// taken in one piece
}

// An SDK hides its requests, and retries them: the context of a call tells which they were.
func ExampleWithObserver() {
	server := httptest.NewServer(http.HandlerFunc(discard))
	defer server.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: throughput.Wrap(base, nil)} // given to the SDK

	totals := throughput.NewTotals(0, nil)
	ctx := throughput.WithObserver(context.Background(), totals)
	var attempts sync.WaitGroup // each is over soon after its answer
	ctx = throughput.WithObserver(ctx, throughput.ObserverFunc(func(context.Context, *throughput.Timeline) { attempts.Done() }))
	attempts.Add(3)
	for range 3 { // the call
		request, _ := http.NewRequestWithContext(ctx, http.MethodPut, server.URL, bytes.NewReader(make([]byte, 1000)))
		response, err := client.Do(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = response.Body.Close()
	}
	attempts.Wait()
	all := totals.All()
	fmt.Println(all.Attempts, "attempts,", all.WriteBytes, "bytes")
	// Output: 3 attempts, 3000 bytes
}

// A body that is pushed, outside HTTP.
func ExampleWriter() {
	w := throughput.NewWriter(io.Discard)
	_, _ = io.Copy(w, io.LimitReader(strings.NewReader(strings.Repeat("x", 100_000)), 100_000))
	p := w.Progress()
	_, ok := p.Throughput()
	fmt.Println(p.Bytes, "bytes; the rate is known:", ok)
	// Output: 100000 bytes; the rate is known: true
}
