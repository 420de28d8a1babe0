package s3

import (
	"net/http"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

func mustQuery(t *testing.T, raw string) sigv4.Query {
	t.Helper()
	q, err := sigv4.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The conditions of RFC 9110, section 13. Times in headers have no fractions of a second.
func TestConditionsOnReading(t *testing.T) {
	modified := time.Date(2020, 1, 2, 3, 4, 5, 600e6, time.UTC)
	o := &object{etag: `"e"`, modified: modified}
	at := func(seconds int) string {
		return modified.Add(time.Duration(seconds) * time.Second).Format(http.TimeFormat)
	}
	for _, tt := range []struct{ match, noneMatch, since, unmodified, want string }{
		{},
		{match: `"e"`}, {match: "*"}, {match: `"a", "e"`}, {match: "e"}, {match: `W/"e"`}, {match: `"a",W/"e"`},
		{match: `"a"`, want: "PreconditionFailed"}, {match: ",", want: "PreconditionFailed"},
		{noneMatch: `"a"`}, {noneMatch: `"e"`, want: "NotModified"}, {noneMatch: "*", want: "NotModified"},
		{since: at(-1)}, {since: at(0), want: "NotModified"}, {since: at(1), want: "NotModified"}, {since: "yesterday"},
		{unmodified: at(-1), want: "PreconditionFailed"}, {unmodified: at(0)}, {unmodified: at(1)}, {unmodified: "x"},
		{match: `"e"`, unmodified: at(-1)}, {noneMatch: `"a"`, since: at(1)},
		{match: `"a"`, noneMatch: `"e"`, want: "PreconditionFailed"},
		{match: `"e"`, noneMatch: `"e"`, want: "NotModified"}, {unmodified: at(0), since: at(0), want: "NotModified"},
	} {
		for _, names := range []readNames{readHeaders, copyHeaders} {
			h := http.Header{}
			for name, value := range map[string]string{names.match: tt.match, names.noneMatch: tt.noneMatch,
				names.modified: tt.since, names.unmodified: tt.unmodified} {
				if value != "" {
					h.Set(name, value)
				}
			}
			got := ""
			if err := checkRead(h, o, names); err != nil {
				got = err.Code
			}
			if got != tt.want {
				t.Errorf("%v: %q, want %q", h, got, tt.want)
			}
		}
	}
	for header, want := range map[string]bool{"": true, `"e"`: true, `"a"`: false, "e": false, at(0): true, at(-1): false, at(1): false} {
		if got := ifRange(header, o); got != want {
			t.Errorf("If-Range: %s: %t", header, got)
		}
	}
}

func TestConditionsOnWriting(t *testing.T) {
	old := &object{etag: `"e"`}
	for _, tt := range []struct {
		match, noneMatch string
		old              *object
		want             string
	}{
		{"", "", old, ""}, {"", "", nil, ""},
		{`"e"`, "", old, ""}, {`"a"`, "", old, "PreconditionFailed"}, {`"e"`, "", nil, "NoSuchKey"}, {"*", "", old, ""},
		{"", `"e"`, old, "PreconditionFailed"}, {"", "*", old, "PreconditionFailed"}, {"", `"a"`, old, ""}, {"", "*", nil, ""},
		{`"a"`, `"e"`, old, "PreconditionFailed"}, {`"e"`, `"a"`, old, ""},
	} {
		if got := code((&writeCondition{tt.match, tt.noneMatch}).check("k", tt.old)); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	if err := (*writeCondition)(nil).check("k", old); err != nil {
		t.Error(err)
	}
}
