package kv

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxKeys bounds the keys of one request.
const maxKeys = 10_000

// namespace is a group of keys in a query of version 1. All are looked up in the one store.
type namespace struct {
	name string
	keys []string
}

// namespaces are those that the key/value API has.
func namespaces() []string {
	return []string{"keys", "renderUrls", "adComponentRenderUrls", "kvInternal"}
}

// contexts are parameters of the API that say for whom the values are. The rows here are for
// everybody, so they change nothing.
func contexts() []string {
	return []string{"hostname", "subkey", "experimentGroupId", "interestGroupNames", "slotSize", "allSlotsRequestedSizes"}
}

// parseQuery reads the query of GET /v1/getvalues: a list of keys for each namespace. Keys are
// separated by commas; a comma within a key is written %2C. Other parameters change nothing: they say for whom the
// values are, or of which size, and browsers come to send more of them.
func parseQuery(raw string) ([]namespace, error) {
	var found []namespace
	count, other := 0, ""
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		escaped, list, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(escaped)
		if err != nil {
			return nil, fmt.Errorf("invalid parameter name: %w", err)
		}
		if !slices.Contains(namespaces(), name) {
			if other == "" && !slices.Contains(contexts(), name) {
				other = name
			}
			continue
		}
		i := slices.IndexFunc(found, func(n namespace) bool { return n.name == name })
		if i < 0 {
			i = len(found)
			found = append(found, namespace{name: name})
		}
		for escaped := range strings.SplitSeq(list, ",") {
			if escaped == "" {
				continue
			}
			key, err := url.QueryUnescape(escaped)
			if err != nil {
				return nil, fmt.Errorf("invalid key in %s: %w", name, err)
			}
			if count++; count > maxKeys {
				return nil, fmt.Errorf("more than %d keys", maxKeys)
			}
			found[i].keys = append(found[i].keys, key)
		}
	}
	switch {
	case count > 0:
		return found, nil
	case other != "":
		return nil, fmt.Errorf("no keys: %.40q is not a key parameter; write keys=a,b", other)
	}
	return nil, errors.New("no keys: write keys=a,b")
}
