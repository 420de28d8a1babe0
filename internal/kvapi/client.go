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

	"github.com/plimsoll/plimsoll/internal/bounded"
)

// Client asks a key/value server.
type Client struct {
	base    string
	http    *http.Client
	timeout time.Duration
}

// What an answer can have: maxBody, and about a run a gap for each batch and a line for each second,
// but no more of either than a server keeps.
const (
	maxBody      = 4 << 20
	bytesAGap    = 64
	bytesASecond = 512
	maxGaps      = 1 << 20
	maxSeconds   = 24 * 3600
	mostOfAny    = max(maxBody+bytesAGap*maxGaps+bytesASecond*maxSeconds, maxMomentAt*MaxMoments)
)

// NewClient makes a client of the server at a URL, http://host:port. A request takes at most
// the timeout, unless it says otherwise. Close it when it is not needed any more.
func NewClient(base string, timeout time.Duration) (*Client, error) {
	base, err := address(base)
	if err != nil {
		return nil, err
	}
	// A transport of its own: the clock is asked over a connection that nobody else uses.
	transport := bounded.NewTransport()
	transport.IdleConnTimeout = time.Minute
	return &Client{base: base, http: bounded.Client(transport, 0, mostOfAny), timeout: timeout}, nil
}

// address checks the URL of a server, and is it without a slash at the end.
func address(base string) (string, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		// What was given may have secrets.
		return "", errors.New("not a valid address of a key/value server: write http://host:port")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New(
			"the address of a key/value server must not contain a user, query or fragment: write http://host:port")
	}
	return strings.TrimRight(base, "/"), nil
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
	err := c.do(ctx, question{method: http.MethodGet, path: "/v1/info", into: &info})
	return info, err
}

// Clock asks for the server's clock.
func (c *Client) Clock(ctx context.Context) (Clock, error) {
	var clock Clock
	err := c.do(ctx, question{method: http.MethodGet, path: "/v1/clock", into: &clock})
	return clock, err
}

// Register tells the server of a run.
func (c *Client) Register(ctx context.Context, run uint64, g Registration) error {
	return c.do(ctx, question{method: http.MethodPut, path: runPath(run), body: &g})
}

// RunOptions say what the answer about a run holds beside what was received, and what it can be.
type RunOptions struct {
	State bool // takes a pass over all keys
	Times bool
	// Batches is how many were published at most, and Seconds how long ago the run began: an answer
	// that has more gaps or lines than that is refused.
	Batches, Seconds int64
	// Within bounds the question; 0: as the client's others are.
	Within time.Duration
}

// most is how many bytes the answer can have.
func (o *RunOptions) most() int64 {
	return maxBody + bytesAGap*min(max(o.Batches, 0), maxGaps) + bytesASecond*min(max(o.Seconds, 0), maxSeconds)
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
	err := c.do(ctx, question{method: http.MethodGet, path: path, into: &r, most: o.most(), within: o.Within})
	return r, err
}

func runPath(run uint64) string { return "/v1/runs/" + strconv.FormatUint(run, 10) }

// question is a request.
type question struct {
	method, path string
	body         *Registration // nil: none
	into         any           // a pointer that the answer is read into; nil: it is not
	most         int64         // bytes of the answer; 0: maxBody
	within       time.Duration // 0: the client's
}

// do asks, within the question's time.
func (c *Client) do(ctx context.Context, q question) error {
	if q.most == 0 {
		q.most = maxBody
	}
	if q.within == 0 {
		q.within = c.timeout
	}
	bounded, cancel := context.WithTimeout(ctx, q.within)
	defer cancel()
	what := q.method + " " + c.base + q.path
	err := c.send(bounded, what, &q)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return silent(what, q.within, bounded.Err())
	}
	return err
}

// silent is the error of a server that hangs.
func silent(what string, within time.Duration, err error) error {
	return fmt.Errorf("%s: no response within %v: %w", what, within, err)
}

// failed is the error of a request that had no answer.
func failed(what string, err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err // it would name the URL once more
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (c *Client) send(ctx context.Context, what string, q *question) error {
	var text io.Reader
	if q.body != nil {
		b, _ := json.Marshal(q.body) // numbers and flags, which can always be written
		text = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, text)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return failed(what, err)
	}
	defer response.Body.Close()
	return read(what, response, q)
}

// maxMessage bounds what of an answer that is an error is shown.
const maxMessage = 200

func read(what string, response *http.Response, q *question) error {
	b, err := bounded.ReadAll(response.Body, q.most)
	switch {
	case errors.Is(err, bounded.ErrTooLong):
		return fmt.Errorf("%s: the response exceeds %d KiB, so it is not from a Plimsoll key/value server",
			what, q.most>>10)
	case err != nil:
		return fmt.Errorf("%s: the response ended early: %w", what, err)
	case response.StatusCode/100 != 2:
		return &StatusError{Request: what, Status: response.StatusCode, Message: message(b)}
	case q.into == nil:
		return nil
	}
	if err := json.Unmarshal(b, q.into); err != nil {
		return fmt.Errorf("%s: the response %q is not from a Plimsoll key/value server: %w",
			what, shorten(string(b)), err)
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
