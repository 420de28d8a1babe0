package kvapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestValues reads responses of the key/value API.
func TestValues(t *testing.T) {
	var asked string
	answer, status := "", http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	r, err := NewReader(server.URL+"/", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range []struct {
		answer string
		want   map[string]Value
		bad    bool
	}{
		{`{"keys":{"a":{"value":"x"},"b":{"status":{"code":404}},"c":{"value":["y"]},"d":{"value_base64":"eA=="}}}`,
			map[string]Value{"a": {"x", true}, "c": {}, "d": {}}, false},
		{`{"keys":{}}`, map[string]Value{}, false},
		{`{"keys":{"a":{"value":"x`, nil, true},
		{`{}`, nil, true},
		{`no`, nil, true},
	} {
		answer = c.answer
		found := map[string]Value{}
		size, err := r.Values(t.Context(), []string{"a,", "b"}, found)
		if (err != nil) != c.bad || size != len(c.answer) {
			t.Errorf("%s: %d bytes, %v", c.answer, size, err)
		}
		if diff := cmp.Diff(c.want, found); diff != "" && !c.bad {
			t.Errorf("%s: %s", c.answer, diff)
		}
	}
	if asked != "/v1/getvalues?keys=a%2C,b" {
		t.Errorf("asked for %s", asked)
	}
	status, answer = http.StatusServiceUnavailable, `{"error":"full"}`
	refused := (*StatusError)(nil)
	if _, err := r.Values(t.Context(), nil, nil); !errors.As(err, &refused) || refused.Status != status || refused.Message != "full" {
		t.Errorf("%v", err)
	}
	if _, err := NewReader("nats://host", 1); err == nil {
		t.Error("nats is no address of a key/value server")
	}
}
