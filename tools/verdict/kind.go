package main

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// kind is what a trial measures.
type kind string

const (
	chat      kind = "chat"      // its answers have the kernel's stamps
	updates   kind = "updates"   // open by nature; the server answers from its own receipts
	bandwidth kind = "bandwidth" // closed: a stream goes on when it can
	http      kind = "http"
	ws        kind = "ws"       // closed, like overhead
	overhead  kind = "overhead" // of one operation
)

// The loads of the kinds without stamps: the generator needs about half of a CPU, more than a quota or
// its share beside four busy loops gives, and the store is what limits.
const (
	updatesRate = 1500
	storeGives  = "60MB"
	fileSize    = "16m"
	blockSize   = "64k"
	partSize    = "1m"
	storeFile   = "s3://plimsoll/verdict/" // with / at the end: each trial writes a name of its own
)

// storeKeys are the credentials of the embedded store, which are no secret, as variables.
var storeKeys = []string{
	"AWS_ACCESS_KEY_ID=plimsoll", "AWS_SECRET_ACCESS_KEY=plimsoll-is-not-a-secret", "AWS_REGION=us-east-1",
}

// serving are the arguments of the kind's target.
func (k kind) serving(ip string, delay time.Duration) []string {
	listen := []string{"--listen", ip + ":0"}
	switch k {
	case updates:
		return append([]string{"serve", "kv"}, listen...)
	case bandwidth:
		return append([]string{"serve", "s3", "--discard", "--bandwidth", storeGives, "--delay", delay.String()}, listen...)
	case http:
		return append([]string{"serve", "http", "--delay", delay.String()}, listen...)
	case overhead:
		return append([]string{"serve", "aws"}, listen...)
	}
	return append([]string{"serve", "chat", "--delay", delay.String()}, listen...)
}

// asking are the arguments of the generator for a trial against a target that said where it is.
func (t *trial) asking(at served, window time.Duration) []string {
	var args []string
	switch t.Kind {
	case updates:
		args = []string{"updates", at.broker, "--kv", at.url, "--rate", strconv.Itoa(t.Rate), "--batch", "20",
			"--warmup-time", "200ms", "--settle", "5s"}
	case bandwidth:
		args = []string{"bandwidth", fileSize, storeFile, "--endpoint", at.url, "--path-style", "--block", blockSize,
			"--part-size", partSize, "--checksum", "none"}
	case overhead:
		return []string{"overhead", "S3/HeadObject", "--endpoint", at.url, "--region", "us-west-2", "--warmup", "200ms",
			"--time", window.String(), "--json", "--no-save"}
	default:
		switch t.Kind {
		case http:
			args = []string{"http", at.url + "/", "--warmup-requests", "20"}
		case ws:
			args = []string{"ws", at.url + "/chat/1", "--protocol", "chat", "--warmup-messages", "20"}
		default:
			args = []string{"chat", at.url + "/chat/1", "--warmup-messages", "20"}
		}
		args = append(args, "--clients", strconv.Itoa(t.Clients), "--warmup-time", "200ms",
			"--warmup-clients", strconv.Itoa(t.Clients))
		if t.Rate > 0 {
			args = append(args, "--rate", strconv.Itoa(t.Rate))
		}
	}
	if t.Rate > 0 {
		// What is in the queue when an overloaded window ends would take as long again, and has no verdict of its own.
		args = append(args, "--drain", drain.String())
	}
	return append(args, "--duration", window.String(), "--seed", strconv.FormatUint(t.Seed, 10), "--json", "--no-save")
}

// drain is longer than each stop and each delay: what does not end in it waits in a queue.
const drain = 1500 * time.Millisecond

// served is where a target is.
type served struct{ url, broker string }

var (
	servedAt = regexp.MustCompile(`(ws|http)://[0-9.]+:[0-9]+`)
	brokerAt = regexp.MustCompile(`nats://[^ \n]+`)
)

// readServed reads it from the target's first lines.
func readServed(r *bufio.Reader, broker bool) (at served, err error) {
	line, err := r.ReadString('\n')
	if at.url = servedAt.FindString(line); at.url == "" {
		return at, fmt.Errorf("no address in %q: %w", line, err)
	}
	if broker {
		line, err = r.ReadString('\n')
		if at.broker = brokerAt.FindString(line); at.broker == "" {
			return at, fmt.Errorf("no message service in %q: %w", line, err)
		}
	}
	return at, nil
}
