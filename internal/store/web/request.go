package web

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// request is what is sent, several times if need be.
type request struct {
	method, path string
	header       map[string]string
	part         *store.Part // the body; nil for none
	text         string      // the body, when there is no part
	once         bool        // it must not be sent again: the server may have done it
	patient      bool        // its answer may take long to read
	reached      *atomic.Bool
}

// send sends a request until it is answered with a status from 200 to 299, as often as is
// allowed. The caller closes the body of the answer.
func (s *webStore) send(ctx context.Context, r request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := s.attempt(ctx, r)
		if err == nil {
			return resp, nil
		}
		if r.once || attempt >= s.retries || !transient(err) {
			return nil, err
		}
		if s.rest(ctx, r.method, attempt, err) != nil {
			return nil, err
		}
	}
}

// rest counts a retry and waits before it.
func (s *webStore) rest(ctx context.Context, name string, attempt int, err error) error {
	s.requests.Retry(name, store.CauseOf(err))
	pause := backoff.Between{First: s.pause, Last: longestPause}.Pause(attempt, rand.Int64N)
	var status *statusError
	if errors.As(err, &status) {
		pause = max(pause, min(status.after, longestPause))
	}
	if !backoff.Sleep(ctx, pause) {
		return ctx.Err()
	}
	s.requests.Paused(name, pause)
	return nil
}

// attempt sends a request once.
func (s *webStore) attempt(ctx context.Context, r request) (*http.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var body io.Reader
	sending := ctx
	if r.text != "" {
		body = strings.NewReader(r.text)
	}
	if r.part != nil {
		body = r.part.Body()
		sending = store.WithPart(sending, r.part)
	}
	if r.patient {
		sending = store.WithPatience(sending)
	}
	req, err := s.newRequest(sending, r, body)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, s.broken(ctx, r, err)
	}
	return s.judge(r, resp)
}

func (s *webStore) newRequest(ctx context.Context, r request, body io.Reader) (*http.Request, error) {
	u := s.at(r.path)
	u.RawQuery = s.base.RawQuery
	if r.reached != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaders: func() { r.reached.Store(true) },
		})
	}
	req, err := http.NewRequestWithContext(s.requests.Named(ctx, r.method), r.method, u.String(), body)
	if err != nil {
		return nil, store.Fail(store.Other, "%s %s: invalid request", r.method, s.show(r.path))
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "plimsoll")
	req.Header.Set("Accept-Encoding", "identity") // bytes are compared as they were written
	s.login.apply(req)
	return req, nil
}

// judge gives an answer, or an error when it is a refusal.
func (s *webStore) judge(r request, resp *http.Response) (*http.Response, error) {
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp, nil
	}
	store.Discard(resp)
	return nil, s.refused(r, resp)
}

// transient reports whether the same request may succeed later.
func transient(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		switch status.code {
		case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	switch store.CauseOf(err) {
	case store.Reset, store.Refused:
		return true
	}
	return false
}

// statusOf is the status of an answer that is an error, or 0.
func statusOf(err error) int {
	var status *statusError
	if errors.As(err, &status) {
		return status.code
	}
	return 0
}

// followable follows redirects that mean the same request, and keep it secret if it was. The login stays with the
// server that it is for: another port of a host is another server, which net/http does not see.
func followable(req *http.Request, via []*http.Request) error {
	first := via[0]
	if req.URL.Host != first.URL.Host {
		req.Header.Del("Authorization")
	}
	if req.Method != first.Method || len(via) >= 10 ||
		via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// pauseOf is what the server asks for in Retry-After; dates are not followed.
func pauseOf(resp *http.Response) time.Duration {
	n, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}
