package sigv4

import (
	"fmt"
	"strings"
	"testing"
)

// Letters, digits and -._~ stay, and a slash where it is to; every other byte is encoded.
func TestEscape(t *testing.T) {
	const stay = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	for c := range 256 {
		one := string([]byte{byte(c)})
		for keepSlash, slash := range map[bool]string{false: "%2F", true: "/"} {
			want := fmt.Sprintf("%%%02X", c)
			switch {
			case strings.Contains(stay, one):
				want = one
			case one == "/":
				want = slash
			}
			if got := Escape(one, keepSlash); got != want {
				t.Errorf("%q, slashes stay %v: %q, want %q", one, keepSlash, got, want)
			}
		}
	}
	if got := Escape("a b/é", true); got != "a%20b/%C3%A9" {
		t.Errorf("%q", got)
	}
}
