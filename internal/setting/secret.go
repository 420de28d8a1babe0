package setting

import (
	"slices"
	"strings"
)

// MayBeSecret reports whether a variable, or a setting of a demo server, is called as one that holds a secret.
func MayBeSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"token", "secret", "pass", "key", "credential", "auth", "cookie", "user"},
		func(part string) bool { return strings.Contains(name, part) })
}
