package updates

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// applying is a server that has applied so many batches of publisher 0 by now.
func applying(t *testing.T, n uint64) *kvServer {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(kvapi.LeftOut, "0")
		var body []byte
		var last kvapi.Moment
		for sequence := range n {
			m := kvapi.Moment{Sequence: sequence, DueNS: int64(sequence), AppliedNS: int64(sequence) + 100, Updates: 1}
			body, last = kvapi.AppendMoment(body, last, m), m
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(web.Close)
	client, err := kvapi.NewClient(web.URL, DefaultPlan().Load.Retry.Timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &kvServer{client: client}
}

// TestSpreadExcludesLaterBatches: of what came in since their answers, those know nothing.
func TestSpreadExcludesLaterBatches(t *testing.T) {
	w := &Updates{Config: Config{Data: &generated{}}}
	c := w.NewClient(0, 0).(*Client)
	for index := range uint64(10) {
		c.log.add(index)
	}
	said := func(n uint64) *kvapi.Run {
		return &kvapi.Run{Publishers: []kvapi.Received{{Publisher: 0, Next: n}}}
	}
	for _, one := range []struct {
		name           string
		found          []*kvapi.Run
		batches, apart int64
	}{
		{"all", []*kvapi.Run{said(10), said(10)}, 10, 0},
		{"half of it at one", []*kvapi.Run{said(5), said(10)}, 5, 5},
		{"no answer of one", []*kvapi.Run{said(10), nil}, 0, 10},
	} {
		r := &oneRun{c: new(Command), work: w, servers: []*kvServer{applying(t, 10), applying(t, 10)}}
		r.between(context.WithoutCancel(t.Context()), make([]rundoc.UpdateServer, 2), one.found)
		if s := r.detail.Spread; s.Batches != one.batches || s.Untold != one.apart || len(r.detail.Notes) > 0 {
			t.Errorf("%s: %+v, %v", one.name, s, r.detail.Notes)
		}
	}
}
