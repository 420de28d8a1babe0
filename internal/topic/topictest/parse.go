package topictest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Parsed is what a transport should read from a URL.
type Parsed[S any] struct {
	URL  string
	Want func(*S) // makes it of the defaults
	Err  string   // a part of what is wrong, which never has the word "geheim"
}

// Parse tests a transport's reading of URLs.
func Parse[S any](t *testing.T, parse func(*url.URL) (S, error), defaults S, tests []Parsed[S]) {
	t.Helper()
	for _, test := range tests {
		u, err := url.Parse(test.URL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(u)
		if test.Err != "" {
			if err == nil || !strings.Contains(err.Error(), test.Err) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%s: %v, want %q", test.URL, err, test.Err)
			}
			continue
		}
		want := defaults
		test.Want(&want)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(defaults)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.URL, err, diff)
		}
	}
}
