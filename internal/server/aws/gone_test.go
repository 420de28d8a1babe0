package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What was deleted is remembered in the order of the deletions, of which the last one of a name counts.
func TestGoneIsForgottenInOrder(t *testing.T) {
	g := newGone()
	g.add("a")
	g.remove("a")
	g.remove("never") // nothing to forget
	for i := range maxGone - 1 {
		g.add(fmt.Sprint(i))
	}
	g.add("a")
	g.add("a")
	if !g.has("a") || !g.has("0") || len(g.order) != maxGone || len(g.names) != maxGone {
		t.Errorf("a %v, 0 %v, %d of %d", g.has("a"), g.has("0"), len(g.order), len(g.names))
	}
	g.add("one more")
	if !g.has("a") || g.has("0") || !g.has("1") || len(g.names) != maxGone {
		t.Errorf("a %v, 0 %v, 1 %v, %d", g.has("a"), g.has("0"), g.has("1"), len(g.names))
	}
}

// A name of any length takes little room, and is gone all the same.
func TestGoneKeepsNamesShort(t *testing.T) {
	server := start(t, nil)
	client := server.client(false)
	long := strings.Repeat("x", 50_000)
	for _, method := range []string{http.MethodDelete, http.MethodHead} {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL()+"/"+long, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if method == http.MethodHead && resp.StatusCode != http.StatusNotFound {
			t.Errorf("status %d of what was deleted", resp.StatusCode)
		}
	}
	for _, name := range server.router.gone.order {
		if len(name) > 300 {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
}
