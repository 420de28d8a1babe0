package gs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// answers are given one after the other.
type answers []*http.Response

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	resp := (*a)[0]
	*a = (*a)[1:]
	return resp, nil
}

func answer(status int, span string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Range": {span}}, Body: io.NopCloser(body)}
}

// dead is a connection that is lost.
type dead struct{}

func (dead) Read([]byte) (int, error) { return 0, syscall.ECONNRESET }

// An object whose rest had to be asked for more than once was opened again once, and the rest is looked at all the same.
func TestRestAfterRefusal(t *testing.T) {
	for name, tt := range map[string]struct {
		has      string // that came before the loss
		rest     *http.Response
		reopened int64
		cause    string
	}{
		"the rest":      {"0123", answer(http.StatusPartialContent, "bytes 4-9/10", strings.NewReader("456789")), 1, ""},
		"another rest":  {"0123", answer(http.StatusPartialContent, "bytes 5-9/10", strings.NewReader("56789")), 0, store.Protocol},
		"all of it":     {"", answer(http.StatusOK, "", strings.NewReader("0123456789")), 1, ""},
		"none any more": {"0123", answer(http.StatusNotFound, "", strings.NewReader("")), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			next := &answers{
				answer(http.StatusOK, "", io.MultiReader(strings.NewReader(tt.has), dead{})),
				answer(http.StatusServiceUnavailable, "", &bytes.Buffer{}), tt.rest,
			}
			requests := &store.Requests{}
			c := &call{name: nameGet, last: nameGet, requests: requests, limit: 3, tries: store.Tries{Most: 3}}
			l := &labels{next: next, endpoint: &url.URL{Scheme: "http", Host: "storage"}, requests: requests}
			ask := func(span string) (*http.Response, error) {
				ctx := context.WithValue(t.Context(), callKey{}, c)
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://storage/object", nil)
				if err != nil {
					t.Fatal(err)
				}
				if span != "" {
					req.Header.Set("Range", span)
				}
				return l.RoundTrip(req)
			}
			first, err := ask("")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(first.Body); !errors.Is(err, syscall.ECONNRESET) {
				t.Fatal(err)
			}
			span := ""
			if tt.has != "" {
				span = "bytes=4-"
			}
			if refused, err := ask(span); err != nil || refused.StatusCode != http.StatusServiceUnavailable {
				t.Fatal(err)
			}
			if _, err = ask(span); store.CauseOf(err) != tt.cause {
				t.Errorf("the rest: %v", err)
			}
			if n := requests.Reopenings()[store.Reset]; n != tt.reopened {
				t.Errorf("opened again %d times, want %d", n, tt.reopened)
			}
		})
	}
}
