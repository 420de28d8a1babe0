package s3

import "testing"

// An endpoint is a host of http or https and nothing that could be a secret, or an error.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"host", "host:9000", "http://[::1]:80/x", "ftp://x", "http://u:p@h", "http://h/?q#f",
		"://", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseEndpoint(text, "https")
		if err != nil {
			return
		}
		if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
			(u.Scheme != "http" && u.Scheme != "https") {
			t.Errorf("%q became %+v", text, u)
		}
		_, _ = regionOf(u.Hostname()), amazon(u.Hostname())
	})
}
