package updates

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/rundoc"
)

// mostMessages limits the causes whose messages are kept.
const mostMessages = 32

// failures keeps the first message of each cause of a failed attempt. Any number of goroutines may add.
type failures struct {
	mu    sync.Mutex
	first map[string]string
}

func (f *failures) add(why *op.Failure) {
	if why.Err == nil || why == op.ErrUnfinished {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first[why.Cause] != "" || len(f.first) == mostMessages {
		return
	}
	if f.first == nil {
		f.first = map[string]string{}
	}
	f.first[why.Cause] = cause.Line(strings.TrimPrefix(why.Err.Error(), "publishing: "))
}

// list returns the messages, ordered by cause.
func (f *failures) list() []rundoc.FailureMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []rundoc.FailureMessage
	for _, c := range slices.Sorted(maps.Keys(f.first)) {
		list = append(list, rundoc.FailureMessage{Cause: c, Message: f.first[c]})
	}
	return list
}
