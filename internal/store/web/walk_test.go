package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// A server that lists no directories, or lists them wrongly, is an error; no list is taken for an empty directory.
func TestWalkRefusesWrongLists(t *testing.T) {
	const list = `<d:multistatus xmlns:d="DAV:">%s</d:multistatus>`
	entry := func(href, properties string) string {
		return `<d:response><d:href>` + href + `</d:href><d:propstat><d:prop>` + properties +
			`</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`
	}
	file := entry("/d/x", "<d:getcontentlength>5</d:getcontentlength>")
	for name, c := range map[string]struct {
		status int
		body   string
		files  int
		cause  string
	}{
		"a file":            {207, fmt.Sprintf(list, file), 1, ""},
		"an empty one":      {207, fmt.Sprintf(list, ""), 0, ""},
		"another host":      {207, fmt.Sprintf(list, strings.ReplaceAll(file, "/d/x", "https://inner:1/d/x")), 1, ""},
		"no length":         {207, fmt.Sprintf(list, entry("/d/x", "")), 0, ""},
		"a negative length": {207, fmt.Sprintf(list, strings.ReplaceAll(file, ">5<", ">-5<")), 0, ""},
		"itself":            {207, fmt.Sprintf(list, entry("/d", "<d:resourcetype><d:collection/></d:resourcetype>")), 0, ""},
		"other paths":       {207, fmt.Sprintf(list, entry("/", "")+entry("/e/x", "")), 0, store.Protocol},
		"dots":              {207, fmt.Sprintf(list, strings.ReplaceAll(file, "/d/x", "/d/../e")), 0, store.Protocol},
		"cut off":           {207, fmt.Sprintf(list, file)[:60], 0, store.Protocol},
		"no XML":            {207, "hello <", 0, store.Protocol},
		"a page":            {200, "<html></html>", 0, store.Unsupported},
		"not allowed":       {405, "", 0, store.Unsupported},
		"forbidden":         {403, "", 0, store.AccessDenied},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			files := 0
			err := openURL(t, server.URL).Walk(t.Context(), "/d/", func(store.Object) bool { files++; return true })
			if files != c.files || (c.cause == "") != (err == nil) || err != nil && store.CauseOf(err) != c.cause {
				t.Errorf("%d files, %v", files, err)
			}
		})
	}
}
