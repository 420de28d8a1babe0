package hadoop

import (
	"strings"
)

// hidden is what a report says for a value that it must not show.
const hidden = "(secret)"

// current is the name that a property has today. Of Hadoop's long list of deprecated names it
// knows those of properties that mean something to a store.
func current(key string) string {
	switch key {
	case "fs.default.name":
		return "fs.defaultFS"
	case "dfs.block.size":
		return "dfs.blocksize"
	case "dfs.socket.timeout":
		return "dfs.client.socket-timeout"
	case "dfs.federation.nameservices":
		return "dfs.nameservices"
	}
	// Those of S3A also exist with a bucket's name in between.
	if strings.HasPrefix(key, "fs.s3a.") {
		if front, ok := strings.CutSuffix(key, ".server-side-encryption-algorithm"); ok {
			return front + ".encryption.algorithm"
		}
		if front, ok := strings.CutSuffix(key, ".server-side-encryption.key"); ok {
			return front + ".encryption.key"
		}
	}
	return key
}

// sensitive tells by its name whether a property is a secret, for those that were not looked
// up as one. It follows Hadoop's hadoop.security.sensitive-config-keys and is broader.
func sensitive(key string) bool {
	key = strings.ToLower(key)
	for _, part := range []string{
		"secret", "password", "passphrase", "account.key", "access.key", "encryption.key", "private.key",
		"session.token", "sas.fixed.token", "sas.token", "fs.azure.sas.", "refresh.token", "keystore.pass",
	} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return strings.HasSuffix(key, "credential") || strings.HasSuffix(key, "token")
}

// shown is the value as a report may show it.
func (s *Settings) shown(key string, p property) string {
	value, through := s.expand(p.value)
	if p.secret || sensitive(key) {
		return hidden
	}
	for _, name := range through {
		if s.values[name].secret || sensitive(name) {
			return hidden
		}
	}
	return withoutUser(strings.TrimSpace(value))
}

// withoutUser hides what stands before the host in URLs: a user, and often a secret.
func withoutUser(value string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "://")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString("://")
		// A secret can have a slash in it, so that all up to the last "@" of the word goes.
		end := strings.IndexAny(rest, " ,\t\n")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			// In abfs://container@account the part before the "@" is no user.
			azure := strings.HasSuffix(before, "abfs") || strings.HasSuffix(before, "abfss")
			if !azure || strings.ContainsAny(rest[:at], ":/") {
				b.WriteString(hidden)
				rest = rest[at:]
			}
		}
		value = rest
	}
}
