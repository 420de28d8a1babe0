package chat

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a chat has to tell.
func detail(got *run.Recorded, replies *ws.Replies) *rundoc.ChatDetail {
	return &rundoc.ChatDetail{
		Replies: replies.Document(), ByRoom: ws.ByRoom(got), Tail: ws.TailOf(got), Samples: got.Samples,
	}
}
