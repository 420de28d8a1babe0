package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// Grant is what a token is asked for with: the client credentials of OAuth 2 (RFC 6749, 4.4).
type Grant struct {
	URL, ID, Secret, Scope string
	HTTP                   *http.Client // of package bounded: it ends what takes long, and what is long
}

// Tokens are those that a Grant gives, one after the other.
type Tokens struct {
	grant Grant
	value atomic.Pointer[[]byte]

	// What became of the asking.
	Fetched, Failed atomic.Int64
	LastFailure     atomic.Pointer[string]
}

// NewTokens asks for the first token. It waits for the answer.
func NewTokens(ctx context.Context, g Grant) (*Tokens, time.Duration, error) {
	t := &Tokens{grant: g}
	lasts, err := t.fetch(ctx)
	return t, lasts, err
}

// Value is what the header Authorization says at present.
func (t *Tokens) Value() []byte { return *t.value.Load() }

// Keep fetches a new token each time before the present one, which lasts so long, expires; until ctx is done. One that
// lasts for ever, or does not say, is kept. When no new one can be had the old one stays, and asking goes on.
func (t *Tokens) Keep(ctx context.Context, lasts time.Duration) {
	const pause = time.Second
	for wait := ahead(lasts); wait > 0; {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		lasts, err := t.fetch(ctx)
		if wait = ahead(lasts); err != nil {
			wait = pause
		}
	}
}

// ahead is when to ask for the token that follows: a fifth of the time before it is needed, and no more than a minute;
// 0 for never. A server whose tokens last for no time at all is not asked without end.
func ahead(lasts time.Duration) time.Duration {
	if lasts <= 0 {
		return 0
	}
	return max(lasts-min(lasts/5, time.Minute), soonest)
}

// soonest is how soon after a token the next may be asked for.
const soonest = 100 * time.Millisecond

// fetch asks for a token, and says how long it lasts; 0 when nobody says.
func (t *Tokens) fetch(ctx context.Context) (time.Duration, error) {
	value, lasts, err := t.grant.ask(ctx)
	if err != nil {
		if ctx.Err() == nil {
			why := err.Error()
			t.Failed.Add(1)
			t.LastFailure.Store(&why)
		}
		return 0, err
	}
	t.Fetched.Add(1)
	t.value.Store(&value)
	return lasts, nil
}

// ask asks for a token.
func (g *Grant) ask(ctx context.Context) (value []byte, lasts time.Duration, err error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if g.Scope != "" {
		form.Set("scope", g.Scope)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, 0, errors.New("the URL is invalid")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth(url.QueryEscape(g.ID), url.QueryEscape(g.Secret)) // RFC 6749, 2.3.1
	answer, err := g.HTTP.Do(r)
	if err != nil {
		if word := cause.Of(err); word != "" {
			return nil, 0, errors.New(word)
		}
		return nil, 0, errors.New("the request failed")
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, 0, errors.New("the response was cut off")
	}
	var told struct {
		Token   string      `json:"access_token"`
		Type    string      `json:"token_type"`
		Expires json.Number `json:"expires_in"`
		Error   string      `json:"error"`
	}
	broken := json.Unmarshal(text, &told)
	switch {
	case answer.StatusCode != http.StatusOK && broken == nil && told.Error != "":
		return nil, 0, fmt.Errorf("status %d, error %.60q", answer.StatusCode, told.Error)
	case answer.StatusCode != http.StatusOK:
		return nil, 0, fmt.Errorf("status %d", answer.StatusCode)
	case broken != nil || told.Token == "":
		return nil, 0, errors.New("the response has no access_token")
	case told.Type != "" && !strings.EqualFold(told.Type, "Bearer"):
		return nil, 0, fmt.Errorf("the token type is %.60q, not Bearer", told.Type)
	case strings.ContainsFunc(told.Token, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return nil, 0, errors.New("the token contains characters that a header cannot contain")
	}
	seconds, _ := told.Expires.Float64() // where it is none, nobody says
	return []byte("Bearer " + told.Token), time.Duration(min(max(seconds, 0), 1e8) * float64(time.Second)), nil
}
