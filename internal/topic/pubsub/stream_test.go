package pubsub

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// parting is a service that sends a message over a stream when it hears that this is to end, and ends it
// after that.
type parting struct {
	pb.UnimplementedPublisherServer
	pb.UnimplementedSubscriberServer

	mu   sync.Mutex
	ends []error  // what the streams ended with
	back []string // what was given back
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
	_ = stream.Send(received("last"))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = append(p.ends, err)
	return nil
}

func (p *parting) ModifyAckDeadline(_ context.Context, r *pb.ModifyAckDeadlineRequest) (*emptypb.Empty, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.back = append(p.back, r.AckIds...)
	return &emptypb.Empty{}, nil
}

func received(id string) *pb.StreamingPullResponse {
	return &pb.StreamingPullResponse{
		ReceivedMessages: []*pb.ReceivedMessage{{AckId: id, Message: &pb.PubsubMessage{Data: []byte(id)}}}}
}

// TestTheEndWaitsForTheService: a stream is not broken off, and what comes until the service has ended it
// is given back.
func TestTheEndWaitsForTheService(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service, server := &parting{}, grpc.NewServer()
	pb.RegisterPublisherServer(server, service)
	pb.RegisterSubscriberServer(server, service)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	defer serving.Wait()
	defer server.Stop()
	t.Setenv("PUBSUB_EMULATOR_HOST", l.Addr().String())
	s, err := mustOpen(t, "gcppubsub://test/mine?streams=1").Subscribe(within(t), topic.SubscribeOptions{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Receive(within(t)); err != nil || string(r.Messages[0].Payload) != "first" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	service.mu.Lock()
	defer service.mu.Unlock()
	if !slices.Equal(service.ends, []error{io.EOF}) || !slices.Equal(service.back, []string{"last"}) {
		t.Errorf("the stream ended with %v, and %q was given back", service.ends, service.back)
	}
}
