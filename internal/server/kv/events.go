package kv

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// events are what the server noticed of its subscription, by kind. What they take in memory is bounded: there are few
// kinds, and of each the last moments are kept, and its last words.
type events struct {
	mu    sync.Mutex
	kinds map[string]*noticed
}

// noticed is one kind.
type noticed struct {
	what string      // of the last
	at   []time.Time // of the last keptMoments, in their order
}

const (
	maxEventKinds = 64
	keptMoments   = 256
	maxEventText  = 400
)

// add enters an event.
func (e *events) add(kind, what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.kinds[kind]
	if n == nil {
		if len(e.kinds) >= maxEventKinds {
			return
		}
		if e.kinds == nil {
			e.kinds = make(map[string]*noticed)
		}
		n = new(noticed)
		e.kinds[kind] = n
	}
	if len(what) > maxEventText {
		what = strings.ToValidUTF8(what[:maxEventText], "")
	}
	n.what = what
	if len(n.at) == keptMoments {
		n.at = slices.Delete(n.at, 0, 1)
	}
	n.at = append(n.at, time.Now())
}

// tell enters what a subscription tells.
func (e *events) tell(event topic.Event) { e.add(string(event.Kind), event.What) }

// since are the events since a moment, by kind.
func (e *events) since(moment time.Time) []kvapi.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []kvapi.Event
	for _, kind := range slices.Sorted(maps.Keys(e.kinds)) {
		n := e.kinds[kind]
		first, _ := slices.BinarySearchFunc(n.at, moment, time.Time.Compare)
		if first == len(n.at) {
			continue
		}
		list = append(list, kvapi.Event{
			Kind: kind, What: n.what, Count: int64(len(n.at) - first), LastNS: int64(time.Since(n.at[len(n.at)-1])),
		})
	}
	return list
}
