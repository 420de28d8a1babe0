package s3

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a server writes becomes one short line that a terminal can be given.
func FuzzShorten(f *testing.F) {
	for _, seed := range []string{"", "plain", "two\nlines\tand \x1b[31mred", strings.Repeat("é", 300), "\xff\xfe", "a\u202eb\u0085c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		short := shorten(text)
		if len(short) > shortLine+len("…") || !utf8.ValidString(short) && utf8.ValidString(text) {
			t.Errorf("%q became %q", text, short)
		}
		for _, r := range short {
			if r != utf8.RuneError && !unicode.IsPrint(r) {
				t.Errorf("%q is in %q", r, short)
			}
		}
	})
}

// An endpoint is a host of http or https and nothing that could be a secret, or an error.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"host", "host:9000", "http://[::1]:80/x", "ftp://x", "http://u:p@h", "http://h/?q#f", "://", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseEndpoint(text, "https")
		if err != nil {
			return
		}
		if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
			t.Errorf("%q became %+v", text, u)
		}
		_, _ = regionOf(u.Hostname()), amazon(u.Hostname())
	})
}
