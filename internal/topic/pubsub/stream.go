package pubsub

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/topic"
)

const (
	// ping is how often the client says that it is there: Pub/Sub ends a stream on which nothing is
	// sent either way.
	ping = 30 * time.Second
	// ordinary is how long a stream has lived that the service may end without being in trouble.
	ordinary = 10 * time.Second
	// goodbye bounds the wait for the service to end a stream of a subscription that is closed.
	goodbye = 10 * time.Second
	// The pauses before a stream that broke is opened again.
	firstPause, lastPause = 100 * time.Millisecond, 5 * time.Second
)

// stream receives over one stream, and opens it again when it has ended, until the subscription is
// closed.
func (s *subscription) stream() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	})
	defer watch.Wait()
	defer cancel()
	pauses := backoff.Between{First: firstPause, Last: lastPause}
	for try := 0; ctx.Err() == nil; try++ {
		began := time.Now()
		received, err := s.pull(ctx)
		if ctx.Err() != nil {
			return
		}
		if received > 0 || time.Since(began) > ordinary {
			try = 0
		}
		if !endedInOrder(err) || received == 0 && time.Since(began) < ordinary {
			select {
			case s.broken <- explain(ctx, "receiving", err):
			default: // nobody has heard of the last one yet
			}
		}
		pauses.Wait(ctx, try)
	}
}

// endedInOrder reports whether the service has ended a stream in good order: it says OK or Unavailable.
func endedInOrder(err error) bool {
	return errors.Is(err, io.EOF) || status.Code(err) == codes.Unavailable &&
		causeOfConnection(err.Error()) == topic.CauseUnavailable
}

// pull opens a stream and receives until it ends. It returns how many messages came. When ctx is done,
// which is when the subscription is closed, it says so to the service and receives until that has ended
// the stream: what it sends over one that was broken off is nobody's until its time has come.
func (s *subscription) pull(ctx context.Context) (received int, err error) {
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opening := context.AfterFunc(ctx, cancel)
	stream, err := s.client.StreamingPull(whole, once())
	if !opening() {
		err = ctx.Err() // nothing was asked for yet, so that nothing comes
	}
	if err != nil {
		cancel()
		return 0, err
	}
	var pings sync.WaitGroup
	defer pings.Wait()
	defer cancel()
	err = stream.Send(&pb.StreamingPullRequest{
		Subscription: s.name, StreamAckDeadlineSeconds: int32(s.topic.settings.deadline / time.Second),
		MaxOutstandingMessages: outstanding, MaxOutstandingBytes: outstandingBytes,
	})
	if err == nil {
		pings.Go(func() { keepAlive(ctx, whole, stream, cancel) })
	}
	for { // when sending failed, the first Recv says why
		response, err := stream.Recv()
		if err != nil {
			return received, err
		}
		at := time.Now()
		for _, m := range response.GetReceivedMessages() {
			s.keep(ctx, s.message(m, at))
			received++
		}
	}
}

// keep keeps a message for a listener. One that finds no room when the subscription is closed is for the end to give
// back: there is no more of those than may be outstanding.
func (s *subscription) keep(ctx context.Context, m topic.Message) {
	select {
	case s.in <- m:
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.late = append(s.late, m.Handle.(string))
	}
}

// keepAlive sends pings until the stream, which whole is the context of, has ended. It tells the service
// when ctx is done, and breaks the stream off if that does not end it then.
func keepAlive(ctx, whole context.Context, stream pb.Subscriber_StreamingPullClient, breakOff func()) {
	tick := time.NewTicker(ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if stream.Send(&pb.StreamingPullRequest{}) != nil {
				return
			}
		case <-whole.Done():
			return
		case <-ctx.Done():
			_ = stream.CloseSend()
			if backoff.Sleep(whole, goodbye) {
				breakOff()
			}
			return
		}
	}
}

// message is a message for those who take it.
func (s *subscription) message(m *pb.ReceivedMessage, at time.Time) topic.Message {
	out := topic.Message{
		Payload: m.GetMessage().GetData(), Arrived: at, Handle: m.GetAckId(), Redelivered: m.GetDeliveryAttempt() > 1,
		Others: !s.made,
	}
	if t := m.GetMessage().GetPublishTime(); t != nil {
		out.BrokerTime = t.AsTime()
	}
	return out
}
