package kv

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// TestEvents: a run is told what happened since the server knows of it, and nothing of before.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		remade := func(what string) { s.events.tell(topic.Event{Kind: topic.EventRemade, What: what}) }
		remade("long before")
		m.publish([]byte("nonsense of before"))
		time.Sleep(time.Minute)
		s.registry.register(9, kvapi.Registration{})
		var r kvapi.Run
		get(t, s, "/v1/runs/9", &r)
		if len(r.Events) > 0 || !r.Watched {
			t.Errorf("before anything happened: %+v", r)
		}
		time.Sleep(time.Second)
		remade("first")
		remade("second")
		time.Sleep(time.Second)
		m.publish([]byte("nonsense"))
		time.Sleep(time.Second)
		m.fail(topic.Fail(topic.CauseRefused, false, "connection refused"))
		time.Sleep(time.Millisecond)
		m.fail(nil)
		time.Sleep(2 * time.Second)
		r = kvapi.Run{}
		get(t, s, "/v1/runs/9", &r)
		kinds := map[string]kvapi.Event{}
		for _, e := range r.Events {
			kinds[e.Kind] = e
		}
		failed := kinds["receive-failed:refused"]
		if failed.Count < 1 || !strings.Contains(failed.What, "connection refused") {
			t.Errorf("failures to receive: %+v", failed)
		}
		if e := kinds[kvapi.EventUnreadable]; e.Count != 1 || e.What == "" {
			t.Errorf("unreadable messages since the run began: %+v, want one", e)
		}
		want := kvapi.Event{Kind: "remade", What: "second", Count: 2, LastNS: int64(4*time.Second + time.Millisecond)}
		if diff := cmp.Diff(want, kinds["remade"]); diff != "" || len(kinds) != 3 {
			t.Errorf("%v\n%s", kinds, diff)
		}
		// Of a run that nobody knows, all there was.
		r = kvapi.Run{}
		get(t, s, "/v1/runs/10", &r)
		for _, e := range r.Events {
			if e.Kind == "remade" && e.Count != 3 {
				t.Errorf("since the server's start: %+v, want 3", e)
			}
		}
	})
}

func TestEventsAreBounded(t *testing.T) {
	var e events
	began := time.Now()
	for i := range 3 * maxEventKinds {
		e.add(fmt.Sprint("kind ", i), "a"+strings.Repeat("é", maxEventText))
	}
	for range 3 * keptMoments {
		e.add("kind 0", "a")
	}
	all := e.since(began)
	if len(all) != maxEventKinds || all[0].Count != keptMoments || all[0].What != "a" || len(all[1].What) > maxEventText ||
		!utf8.ValidString(all[1].What) {
		t.Errorf("%d kinds, the first: %+v, text %q", len(all), all[0], all[1].What)
	}
}
