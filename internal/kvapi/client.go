package kvapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client asks a key/value server.
type Client struct {
	base string
	http *http.Client
}

// maxBody bounds an answer: that of a run whose every second sequence is missing is long.
const maxBody = 256 << 20

// NewClient makes a client of the server at a URL, http://host:port. A request takes at most
// the timeout. Close it when it is not needed any more.
func NewClient(base string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("this is no address of a key/value server: write http://host:port") // it may have secrets
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address of a key/value server has no user, query or fragment: write http://host:port")
	}
	// A transport of its own: the clock is asked over a connection that nobody else uses.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute}
	return &Client{base: strings.TrimRight(base, "/"), http: &http.Client{Transport: transport, Timeout: timeout}}, nil
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// StatusError says that the server has answered, and refused.
type StatusError struct {
	Request string // as "GET http://host:port/v1/info"
	Status  int
	Message string // the server's, or the beginning of what it sent
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: %d %s: %s", e.Request, e.Status, http.StatusText(e.Status), e.Message)
}

// Info asks what the server is.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var info Info
	err := c.do(ctx, http.MethodGet, "/v1/info", nil, &info)
	return info, err
}

// Clock asks for the server's clock.
func (c *Client) Clock(ctx context.Context) (Clock, error) {
	var clock Clock
	err := c.do(ctx, http.MethodGet, "/v1/clock", nil, &clock)
	return clock, err
}

// Register tells the server of a run.
func (c *Client) Register(ctx context.Context, run uint64, g Registration) error {
	return c.do(ctx, http.MethodPut, runPath(run), g, nil)
}

// RunOptions say what the answer about a run holds beside what was received.
type RunOptions struct {
	State bool // takes a pass over all keys
	Times bool
}

// Run asks what was received of a run.
func (c *Client) Run(ctx context.Context, run uint64, o RunOptions) (Run, error) {
	query := url.Values{}
	if o.State {
		query.Set("state", "1")
	}
	if o.Times {
		query.Set("times", "1")
	}
	path := runPath(run)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var r Run
	err := c.do(ctx, http.MethodGet, path, nil, &r)
	return r, err
}

func runPath(run uint64) string { return "/v1/runs/" + strconv.FormatUint(run, 10) }

// do sends a request, and reads the answer into a pointer unless that is nil.
func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, text)
	if err != nil {
		return err
	}
	what := method + " " + c.base + path
	response, err := c.http.Do(request)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // it would name the URL once more
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	defer response.Body.Close()
	return read(what, response, into)
}

// maxMessage bounds what of an answer that is an error is shown.
const maxMessage = 200

func read(what string, response *http.Response, into any) error {
	b, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: the answer ended early: %w", what, err)
	case len(b) > maxBody:
		return fmt.Errorf("%s: the answer has more than %d MiB", what, maxBody>>20)
	case response.StatusCode/100 != 2:
		return &StatusError{Request: what, Status: response.StatusCode, Message: message(b)}
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: the answer %q is not that of a key/value server of Plimsoll: %w", what, shorten(string(b)), err)
	}
	return nil
}

// message is the error in an answer, or the beginning of the answer.
func message(body []byte) string {
	var p struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &p) == nil && p.Error != "" {
		return shorten(p.Error)
	}
	return shorten(strings.Join(strings.Fields(string(body)), " "))
}

func shorten(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage], "") + "…"
}
