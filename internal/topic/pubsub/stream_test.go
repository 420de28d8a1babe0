package pubsub

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// parting is a service that sends a message over a stream when it hears that this is to end, and ends it
// after that.
type parting struct {
	pb.UnimplementedPublisherServer
	pb.UnimplementedSubscriberServer

	mu    sync.Mutex
	ends  []error      // what the streams ended with
	back  []string     // what was given back
	tries int          // requests that give back
	no    []codes.Code // with which the first of these are answered
	many  int          // messages in the last response; 0: one
}

func (p *parting) GetTopic(_ context.Context, r *pb.GetTopicRequest) (*pb.Topic, error) {
	return &pb.Topic{Name: r.Topic}, nil
}

func (p *parting) GetSubscription(_ context.Context, r *pb.GetSubscriptionRequest) (*pb.Subscription, error) {
	return &pb.Subscription{Name: r.Subscription, Topic: "projects/test/topics/mine"}, nil
}

func (p *parting) StreamingPull(stream pb.Subscriber_StreamingPullServer) error {
	_, err := stream.Recv()
	if err == nil {
		_ = stream.Send(received("first"))
	}
	for err == nil {
		_, err = stream.Recv()
	}
	last := received("last")
	for n := 1; n < p.many; n++ {
		last.ReceivedMessages = append(last.ReceivedMessages, received(fmt.Sprint("late ", n)).ReceivedMessages...)
	}
	_ = stream.Send(last)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = append(p.ends, err)
	return nil
}

func (p *parting) ModifyAckDeadline(_ context.Context, r *pb.ModifyAckDeadlineRequest) (*emptypb.Empty, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tries++; p.tries <= len(p.no) {
		return nil, status.Error(p.no[p.tries-1], "sorry")
	}
	p.back = append(p.back, r.AckIds...)
	return &emptypb.Empty{}, nil
}

func received(id string) *pb.StreamingPullResponse {
	return &pb.StreamingPullResponse{
		ReceivedMessages: []*pb.ReceivedMessage{{AckId: id, Message: &pb.PubsubMessage{Data: []byte(id)}}}}
}

// serve has a topic be served by the service until the test is over.
func (p *parting) serve(t *testing.T) *pubsubTopic {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterPublisherServer(server, p)
	pb.RegisterSubscriberServer(server, p)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	t.Cleanup(serving.Wait)
	t.Cleanup(server.Stop)
	t.Setenv("PUBSUB_EMULATOR_HOST", l.Addr().String())
	return mustOpen(t, "gcppubsub://test/mine?streams=1")
}

// want holds what the service has seen against what it should.
func (p *parting) want(t *testing.T, back ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.back)
	slices.Sort(back)
	if !slices.Equal(p.ends, []error{io.EOF}) || !slices.Equal(p.back, back) {
		t.Errorf("the stream ended with %v, and %d were given back, want %d, of them %.3q", p.ends, len(p.back), len(back),
			back[:min(3, len(back))])
	}
}

// Close waits for the end of the stream and returns the messages that arrive until then.
func TestCloseReturnsLateMessages(t *testing.T) {
	const many = waiting + 2*ackTogether
	for name, test := range map[string]struct {
		many  int
		no    []codes.Code
		fails string
	}{
		"one":           {},
		"a full client": {many: many},
		"tried again":   {no: []codes.Code{codes.Unavailable, codes.Internal}},
		"refused":       {no: []codes.Code{codes.PermissionDenied}, fails: "PermissionDenied: sorry"},
		"gone": {no: []codes.Code{codes.Unavailable, codes.Unavailable, codes.Unavailable},
			fails: "1 unreceived messages will be redelivered only after 1m0s: returning them: Unavailable: sorry"},
	} {
		t.Run(name, func(t *testing.T) {
			service := &parting{many: test.many, no: test.no}
			s, err := service.serve(t).Subscribe(within(t), topic.SubscribeOptions{Name: "a"})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Receive(within(t)); err != nil || string(r.Messages[0].Payload) != "first" {
				t.Fatalf("%+v, %v", r, err)
			}
			err = s.Close()
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("the end: %v, want %q", err, test.fails)
				}
				service.want(t)
				return
			}
			if err != nil {
				t.Error(err)
			}
			want := []string{"last"}
			for n := 1; n < service.many; n++ {
				want = append(want, fmt.Sprint("late ", n))
			}
			service.want(t, want...)
		})
	}
}
