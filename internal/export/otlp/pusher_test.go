package otlp

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
)

// slow answers each push with a status, after a time or when it is given up; it notes when each began, and of what.
type slow struct {
	status int
	after  time.Duration
	posts  []post
}

type post struct {
	at   time.Time
	path string
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.posts = append(s.posts, post{time.Now(), r.URL.Path})
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(s.after):
		return &http.Response{StatusCode: s.status, Body: http.NoBody}, nil
	}
}

// since are the times of the posts after a moment.
func (s *slow) since(begun time.Time) (all []time.Duration) {
	for _, p := range s.posts {
		all = append(all, p.at.Sub(begun))
	}
	return all
}

func slowly(s *slow, every time.Duration) *Pusher {
	p := New(Config{URL: "http://collector", Every: every, Note: func(string) {}})
	p.post.client.Transport = s
	return p
}

func unpicked() onlook.Moment {
	m := moment()
	m.Picked = nil
	return m
}

// Metrics are pushed as often as was asked for, and a push is given up after three seconds.
func TestWhenMetricsAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{status: http.StatusOK}
		p, begun := slowly(s, 5*time.Second), time.Now()
		for range 12 {
			p.See(t.Context(), []onlook.Moment{unpicked()})
			time.Sleep(time.Second)
		}
		if got := s.since(begun); !slices.Equal(got, []time.Duration{0, 5 * time.Second, 10 * time.Second}) {
			t.Errorf("%v", got)
		}
		s.after, begun = time.Hour, time.Now()
		p.due = begun
		if p.See(t.Context(), []onlook.Moment{unpicked()}); time.Since(begun) != 3*time.Second {
			t.Errorf("it took %v", time.Since(begun))
		}
	})
}

// At the end of a run a push is tried again, each time after twice the pause: for eight seconds in all, and for one where
// the collector has taken nothing before.
func TestTriesAtTheEnd(t *testing.T) {
	const ms = time.Millisecond
	for name, one := range map[string]struct {
		taken bool
		after time.Duration
		tries []time.Duration
		took  time.Duration
	}{
		"was there":        {true, 0, []time.Duration{0, 250 * ms, 750 * ms, 1750 * ms, 3750 * ms, 7750 * ms}, 8000 * ms},
		"never was":        {false, 0, []time.Duration{0, 250 * ms, 750 * ms}, 750 * ms},
		"just in the time": {false, 125 * ms, []time.Duration{0, 375 * ms, 1000 * ms}, 1125 * ms},
		"hangs":            {true, time.Hour, []time.Duration{0}, 8000 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &slow{status: http.StatusServiceUnavailable, after: one.after}
			p, begun := slowly(s, time.Hour), time.Now()
			p.taken = one.taken
			p.Over(t.Context(), unpicked())
			took := time.Since(begun)
			if got := s.since(begun); !slices.Equal(got, one.tries) || took != one.took || !p.lost {
				t.Errorf("%s: tries at %v, want %v; it took %v; lost: %v", name, got, one.tries, took, p.lost)
			}
			if left := p.End(); left != "the last metrics of a run" {
				t.Errorf("%s: left %q", name, left)
			}
		})
	}
}

// Spans are pushed 512 at once, and each of them counts; a run of which nothing can be told loses nothing.
func TestSpansArePushedInBatches(t *testing.T) {
	for _, one := range []struct {
		sums  *record.Sums
		paths string
		left  string
	}{
		{sums(), "/v1/traces /v1/traces /v1/traces /v1/metrics", ""}, {nil, "", "1,025 spans of 1,025 sampled"},
	} {
		s := &slow{status: http.StatusOK}
		p := slowly(s, time.Hour)
		picker := record.NewPicker(0, 1, 2000)
		for range 2*512 + 1 {
			picker.Offer(&record.Operation{}, func(int64) time.Time { return time.Time{} })
		}
		p.Over(t.Context(), onlook.Moment{Picked: picker, Sums: func() *record.Sums { return one.sums }})
		var paths []string
		for _, post := range s.posts {
			paths = append(paths, post.path)
		}
		if got := strings.Join(paths, " "); got != one.paths || p.lost {
			t.Errorf("%s, want %s; lost: %v", got, one.paths, p.lost)
		}
		if left := p.End(); left != one.left {
			t.Errorf("left %q, want %q", left, one.left)
		}
	}
}

// What was not pushed is told, each of it.
func TestUnpushedDataIsReported(t *testing.T) {
	for want, p := range map[string]*Pusher{
		"": {spans: 5}, "the last metrics of a run": {lost: true, spans: 5}, "1 span of 6 sampled": {spans: 5, unspent: 1},
		"the last metrics of a run and 1 span of 1 sampled":   {lost: true, left: 1},
		"the last metrics of a run and 7 spans of 12 sampled": {lost: true, left: 3, unspent: 4, spans: 5},
	} {
		p.post = newPoster(Config{})
		if got := p.End(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Which entry of a variable is wrong is told, and neither its key nor its value.
func TestWhichEntryIsWrong(t *testing.T) {
	_, err := Pairs("X", "a=b,,hunter2,c=d")
	if err == nil || !strings.Contains(err.Error(), "entry 3 is not") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	_, err = Headers("X", []Attribute{{"a", "b"}, {"hunter2 ", "c"}})
	if err == nil || !strings.Contains(err.Error(), "entry 2 is not") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	_, own, err := Environment(func(string) (string, bool) { return "", false }, "v2")
	if want := []Attribute{{"service.name", "plimsoll"}, {"service.version", "v2"}}; err != nil || !slices.Equal(own, want) {
		t.Errorf("%v %v", own, err)
	}
}
