package kvapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/bounded"
)

// Reader asks a server for values, as those who use it in production do. Several goroutines may call it.
type Reader struct {
	base string
	http *http.Client
}

// NewReader makes a reader of the server at a URL, which keeps so many connections. Close it when it is not needed any
// more.
func NewReader(base string, connections int) (*Reader, error) {
	base, err := address(base)
	if err != nil {
		return nil, err
	}
	transport := bounded.NewTransport()
	transport.MaxIdleConnsPerHost = connections
	return &Reader{base: base, http: bounded.Client(transport, 0, maxValues)}, nil
}

// Close closes the idle connections.
func (r *Reader) Close() { r.http.CloseIdleConnections() }

// Value is what a key has: a text, or something else (a set), whose Text is "".
type Value struct {
	Text   string
	IsText bool
}

// maxValues bounds an answer with values, which is as large as servers make one.
const maxValues = 64 << 20

// Values puts what the keys have into found, which has no key of those without a value, and says how many bytes the
// answer had. It takes as long as the context does.
func (r *Reader) Values(ctx context.Context, keys []string, found map[string]Value) (size int, err error) {
	var query strings.Builder
	for i, key := range keys {
		if i > 0 {
			query.WriteByte(',')
		}
		query.WriteString(url.QueryEscape(key))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/v1/getvalues?keys="+query.String(), nil)
	if err != nil {
		return 0, err
	}
	response, err := r.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return len(body), err
	}
	if response.StatusCode != http.StatusOK {
		return len(body), &StatusError{Request: "GET " + r.base + "/v1/getvalues", Status: response.StatusCode,
			Message: message(body)}
	}
	return len(body), decodeValues(body, found)
}

// errValues says that an answer was none.
var errValues = errors.New("the response does not contain values in the form of a key/value server")

func decodeValues(body []byte, found map[string]Value) error {
	var answer struct {
		Keys map[string]struct {
			Value  json.RawMessage `json:"value"`
			Base64 json.RawMessage `json:"value_base64"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Keys == nil {
		return errors.Join(errValues, err)
	}
	for key, one := range answer.Keys {
		v := Value{}
		switch {
		case one.Value == nil && one.Base64 == nil:
			continue
		case one.Value != nil && one.Value[0] == '"':
			_ = json.Unmarshal(one.Value, &v.Text) // it has been read as JSON already
			v.IsText = true
		}
		found[key] = v
	}
	return nil
}
