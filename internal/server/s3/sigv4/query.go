package sigv4

import (
	"net/url"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// Query is what a query holds, decoded, in its order.
type Query []parameter

// Get is a parameter of the query, or "".
func (q Query) Get(name string) string {
	for _, p := range q {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// Has says whether the query has a parameter, empty or not.
func (q Query) Has(name string) bool {
	return slices.ContainsFunc(q, func(p parameter) bool { return p.name == name })
}

type parameter struct{ name, value string }

// ParseQuery decodes a query as it came. url.ParseQuery is not used because it refuses
// semicolons, which keys may hold.
func ParseQuery(raw string) (Query, *refusal.Error) {
	var pairs Query
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err != nil {
			return nil, refusal.BadRequest("InvalidURI", "The query cannot be decoded.")
		}
		pairs = append(pairs, parameter{name, value})
	}
	return pairs, nil
}

// canonicalQuery is the query as it is signed, without the signature itself.
func (q Query) canonical() string {
	encoded := make(Query, 0, len(q))
	for _, p := range q {
		if p.name != "X-Amz-Signature" {
			encoded = append(encoded, parameter{Escape(p.name, false), Escape(p.value, false)})
		}
	}
	slices.SortFunc(encoded, func(a, b parameter) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return strings.Compare(a.value, b.value)
	})
	var b strings.Builder
	for i, p := range encoded {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name)
		b.WriteByte('=')
		b.WriteString(p.value)
	}
	return b.String()
}
