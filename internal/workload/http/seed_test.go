package http_test

import (
	"fmt"
	"github.com/plimsoll/plimsoll/internal/plan"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a server that keeps the texts of what it was asked.
type recorder struct {
	mu    sync.Mutex
	texts []string
}

func record(t *testing.T) (*recorder, string) {
	t.Helper()
	r := &recorder{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.texts = append(r.texts, fmt.Sprint(q.Method, " ", q.RequestURI, " ", q.Header.Get("X-One"), " ", string(body)))
	}))
	t.Cleanup(s.Close)
	return r, s.URL
}

func (r *recorder) sorted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.texts))
}

// drawn is a script of three flows whose requests have all that is drawn.
func drawn(t *testing.T, url string) *script.Script {
	t.Helper()
	text := `
requests:
  - {name: a, url: '/a/${id}?n=${int 1 1000000}', headers: {X-One: '${uuid}'}, weight: 5}
  - {name: b, url: '/b/${seq}', body: '{"x": "${text 30}", "y": ${pick 1|2|3}}', weight: 3}
  - {name: c, url: '/c?u=${uuid}&v=${uuid}', weight: 2}
`
	s, err := script.Load("r.yaml", strings.NewReader(text), script.Options{Base: url})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSameSeedSendsSameRequests: whatever the number of clients and the model, by what the server got; another seed sends
// something else, and fewer requests are the first of more.
func TestSameSeedSendsSameRequests(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	send := func(n int64, change func(l *plan.Load)) []string {
		r, url := record(t)
		_, total := run(t, drawn(t, url), n, func(p *room.Plan) { p.Load.Seed = seed; change(&p.Load) })
		if total.OK != n {
			t.Errorf("%d of %d ok: %+v", total.OK, n, total.Causes)
		}
		return r.sorted()
	}
	const n = 150
	want := send(n, func(l *plan.Load) { l.Clients = 1 })
	for name, change := range map[string]func(l *plan.Load){
		"again":        func(*plan.Load) {},
		"many clients": func(l *plan.Load) { l.Clients = 37 },
		"open":         func(l *plan.Load) { l.Rate, l.MaxWaiting, l.Arrivals = 3000, 10000, plan.Poisson },
	} {
		if got := send(n, change); !slices.Equal(got, want) {
			t.Errorf("%s: other requests were sent", name)
		}
	}
	all := map[string]bool{}
	for _, text := range want {
		all[text] = true
	}
	if len(all) != n {
		t.Errorf("%d different requests of %d", len(all), n)
	}
	for _, text := range send(n/3, func(*plan.Load) {}) {
		if !all[text] {
			t.Errorf("%s is none of the first of more", text)
		}
	}
	seed++
	for _, text := range send(n, func(*plan.Load) {}) {
		if all[text] && !strings.HasPrefix(text, "POST /b/") {
			t.Errorf("%s is sent with another seed, too", text)
		}
	}
}
