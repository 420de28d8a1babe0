package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/proto"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// mostAnswer bounds what is read of an answer, which says little.
const mostAnswer = 64 << 10

// poster posts messages to a collector.
type poster struct {
	base    *url.URL // nil: it is none
	shown   string   // the same without secrets
	headers http.Header
	client  *http.Client
}

func newPoster(c Config) *poster {
	p := &poster{
		shown: redact.URL(c.URL), headers: c.Headers,
		// A connection of its own, and no redirect: what has secrets among its headers goes where it was sent.
		client: bounded.Client(bounded.NewTransport(), 0, mostAnswer),
	}
	if base, err := url.Parse(c.URL); err == nil {
		p.base = base
	}
	return p
}

// send posts a message. Its error names the collector and has no secret.
func (p *poster) send(ctx context.Context, path string, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	if p.base == nil {
		return fmt.Errorf("%s is not a valid URL", p.shown)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s is not a valid URL", p.shown)
	}
	for name, values := range p.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := p.client.Do(request)
	if err != nil {
		return fmt.Errorf("cannot reach the collector at %s: %w", p.shown, plain(err))
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // so that the connection can be used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector at %s responded with %s to %s", p.shown, answer.Status, path)
	}
	return nil
}

// plain is an error without the URL, which may have secrets.
func plain(err error) error {
	if bad, ok := errors.AsType[*url.Error](err); ok {
		err = bad.Err
	}
	if bad, ok := errors.AsType[*net.OpError](err); ok {
		return bad.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no response in time")
	}
	return err
}

func (p *poster) close() { p.client.CloseIdleConnections() }
