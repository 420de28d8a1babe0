package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// serving is the server of a pair, which may be killed and started again.
type serving struct {
	*process // the one that goes on
	pair     *soaking
	told     http.Client
	looks    looks

	restarts, atQuits int
}

// serve starts it. One that is to be killed has a port that the system gives to nobody by itself: while nothing listens
// there, a client could get it for its own end, and be connected with itself.
func (s *soaking) serve(ctx context.Context) (*serving, error) {
	address := "127.0.0.1:0"
	if s.killed {
		var err error
		if address, err = freeAddress(ctx); err != nil {
			return nil, err
		}
	}
	v := &serving{pair: s, told: http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}} // of this machine, made a moment ago
	if err := v.begin(ctx, address); err != nil {
		return nil, err
	}
	for _, found := range exported.FindAllStringSubmatch(v.said.String(), -1) {
		s.env = append(s.env, found[1])
	}
	return v, nil
}

// freeAddress is one below the ports that the system gives to clients.
func freeAddress(ctx context.Context) (string, error) {
	var no error
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20_000+rand.IntN(10_000)))
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err == nil {
			return address, l.Close()
		}
		no = err
	}
	return "", no
}

// announced is the address that a server says it is at; then where the message service in it is, and a variable that it
// tells clients to set.
var (
	announced = regexp.MustCompile(`(?m)^.*? at ((?:ws|https?)://[^\s,;]+)`)
	beside    = regexp.MustCompile(`(?m)^publishers on this machine: (\S+)$`)
	exported  = regexp.MustCompile(`(?m)^export (\w+=\S+)$`)
)

// begin starts the program, and waits until it serves, also when the time is over: who is interrupted before it can listen
// for that dies of it.
func (v *serving) begin(ctx context.Context, address string) error {
	v.process = v.pair.start(append(append([]string{"serve"}, v.pair.server...), "--listen", address)...)
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	for announced.FindString(v.said.String()) == "" {
		if v.wait(ctx, 50*time.Millisecond) || ctx.Err() != nil {
			_ = v.end(os.Kill) // why it does not start is what matters
			return fmt.Errorf("the server does not start: %v: %s", v.err, v.said)
		}
	}
	v.wait(ctx, v.pair.quiet)
	v.pair.mu.Lock()
	defer v.pair.mu.Unlock()
	v.pair.address = announced.FindStringSubmatch(v.said.String())[1]
	if found := beside.FindStringSubmatch(v.said.String()); found != nil {
		v.pair.broker = found[1]
	}
	return nil
}

// keep looks at the server until the time is over, and kills it again and again, if it is one of those: in turn so that it
// cannot say a word, and so that Go's runtime says which goroutines there were.
func (v *serving) keep(ctx context.Context) error {
	for {
		life, stop := ctx, context.CancelFunc(func() {})
		if v.pair.killed {
			life, stop = context.WithTimeout(ctx, lifeTime(v.pair.whole))
		}
		v.looks = append(v.looks, v.watch(life, v.goroutines)...)
		stop()
		if ctx.Err() != nil {
			return nil
		}
		if err := v.again(ctx); err != nil {
			return err
		}
	}
}

// again kills the server, and starts it at the same address.
func (v *serving) again(ctx context.Context) error {
	if v.wait(ctx, 0) {
		return fmt.Errorf("the server has ended by itself: %v: %s", v.err, v.said)
	}
	by := []os.Signal{os.Kill, syscall.SIGQUIT}[v.restarts%2]
	if err := v.end(by); err != nil {
		return err
	}
	v.atQuits = max(v.atQuits, dumped(v.said.String()))
	v.restarts++
	u, err := url.Parse(v.pair.address)
	if err != nil {
		return err
	}
	return v.begin(ctx, u.Host)
}

// lifeTime is how long a server lives that is killed: a dozen of them follow each other, or fewer in a short time.
func lifeTime(whole time.Duration) time.Duration { return max(whole/12, 20*time.Second) }

// dumped are the goroutines of which the runtime told, when the program was made to quit.
func dumped(text string) int { return strings.Count("\n"+text, "\ngoroutine ") }

var counted = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

// goroutines asks the server; 0 is no answer.
func (v *serving) goroutines(ctx context.Context) int {
	u, err := url.Parse(v.pair.address)
	if err != nil || v.pair.metrics == "" {
		return 0
	}
	u.Scheme, u.Path = strings.Replace(u.Scheme, "ws", "http", 1), v.pair.metrics
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0
	}
	r.SetBasicAuth(v.pair.variable("AWS_ACCESS_KEY_ID"), v.pair.variable("AWS_SECRET_ACCESS_KEY"))
	answer, err := v.told.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, mostWords)) // what there is of it
	found := counted.FindSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(found[1])) // digits
	return n
}

// variable is one of those that programs of the pair are started with; the last one counts.
func (s *soaking) variable(name string) (value string) {
	for _, one := range s.env {
		if v, is := strings.CutPrefix(one, name+"="); is {
			value = v
		}
	}
	return value
}
