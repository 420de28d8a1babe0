package otlp

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
)

// spansOf is a message with a span for each operation, a trace of its own each: from its intended start to its end, so
// that it is as long as its response time, with its actual start as an event.
func spansOf(m *onlook.Moment, sums *record.Sums, own []Attribute, list []record.Sample) *pb.TracesData {
	spans := make([]*pb.Span, len(list))
	for i := range list {
		spans[i] = spanOf(&sums.Kinds[list[i].Kind], &list[i])
	}
	return &pb.TracesData{ResourceSpans: []*pb.ResourceSpans{{
		Resource:   resourceOf(m, own),
		ScopeSpans: []*pb.ScopeSpans{{Scope: &common.InstrumentationScope{Name: scope}, Spans: spans}},
	}}}
}

func spanOf(k *record.KindSums, s *record.Sample) *pb.Span {
	at := func(of int64) uint64 { return stamp(s.Began.Add(time.Duration(of - s.Start))) }
	outcome := outcomeOf(s)
	span := &pb.Span{
		TraceId: random(16), SpanId: random(8), Name: valid(k.Operation.Name), Kind: pb.Span_SPAN_KIND_CLIENT,
		StartTimeUnixNano: at(s.Intended), EndTimeUnixNano: at(s.End),
		Attributes: append(labelled(k.Operation.Name, k.Operation.Labels), text("plimsoll.outcome", outcome),
			number("plimsoll.attempts", s.Attempts), number("plimsoll.send_delay_ns", s.Start-s.Intended),
			number("plimsoll.service_time_ns", s.End-s.Start), number("plimsoll.own_delay_ns", s.Own)),
		Events: []*pb.Span_Event{{TimeUnixNano: at(s.Start), Name: "started"}},
		Status: &pb.Status{},
	}
	if s.Bytes > 0 {
		span.Attributes = append(span.Attributes, number("plimsoll.bytes", s.Bytes))
	}
	if s.Reconnected {
		span.Attributes = append(span.Attributes, truth("plimsoll.reconnected", true))
	}
	if s.Cause != "" {
		span.Attributes = append(span.Attributes, text("plimsoll.cause", s.Cause))
	}
	if s.Stages.Known {
		sent := s.End - s.Stages.Body - s.Stages.Wait
		span.Events = append(span.Events, &pb.Span_Event{TimeUnixNano: at(sent), Name: "sent"},
			&pb.Span_Event{TimeUnixNano: at(sent + s.Stages.Wait), Name: "answering"})
	}
	if s.Outcome != record.OK {
		span.Status = &pb.Status{Code: pb.Status_STATUS_CODE_ERROR, Message: valid(s.Cause)}
	}
	return span
}

func outcomeOf(s *record.Sample) string {
	switch s.Outcome {
	case record.OK:
		return "ok"
	case record.Unfinished:
		return "unfinished"
	}
	return "failed"
}

// random is an id. Ids of spans need not be secret, and two that are alike of 2^64 harm nobody.
func random(size int) []byte {
	id := make([]byte, size)
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(id[i:], max(1, rand.Uint64()))
	}
	return id
}
