package plan

import (
	"encoding/json"
	"net/http"
)

// Headers are request headers. Their values may be secrets: written as JSON they show their
// names only.
type Headers http.Header

// MarshalJSON writes the names, and "…" for every value.
func (h Headers) MarshalJSON() ([]byte, error) {
	names := make(map[string]string, len(h))
	for name := range h {
		names[name] = "…"
	}
	return json.Marshal(names)
}
