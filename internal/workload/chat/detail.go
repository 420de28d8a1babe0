package chat

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a chat has to tell.
func detail(got *run.Recorded, t *ws.Traffic) (*rundoc.ChatDetail, error) {
	heard, err := t.Heard()
	return &rundoc.ChatDetail{
		Replies: t.Replies().Document(), ByRoom: ws.ByRoom(got), Tail: ws.TailOf(got), Fanout: heard,
		Lost: t.Losses(), Samples: got.Samples,
	}, err
}
