package sqs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// scripted is a server whose responses the test supplies.
type scripted struct {
	answer func(w http.ResponseWriter, action string, body []byte)

	mu    sync.Mutex
	calls []string // actions, in order
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action, body := "", make([]byte, max(0, r.ContentLength))
	if _, target, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		action = target
		for n := 0; n < len(body); {
			k, err := r.Body.Read(body[n:])
			if n += k; err != nil {
				break
			}
		}
	} else {
		action = r.FormValue("Action")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, action)
	s.answer(w, action, body)
}

// taken returns the calls since it was last called.
func (s *scripted) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.calls
	s.calls = nil
	return out
}

// start starts the server, and opens a topic and a subscription at it.
func (s *scripted) start(t *testing.T) (*snsTopic, *subscription) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	made := mustOpen(t, "awssnssqs:///arn:aws:sns:eu-west-1:123456789012:updates?endpoint=%s",
		url.QueryEscape(server.URL))
	client := made.newHTTP()
	set := &setup{topic: made, sns: made.newSNS(client), sqs: made.newSQS(client), name: "q",
		queueURL: server.URL + "/1/q"}
	sub := newSubscription(set, client, topic.SubscribeOptions{Name: "a", Batch: 10})
	sub.pauses = backoff.Between{First: time.Microsecond, Last: time.Microsecond}
	t.Cleanup(func() { _ = sub.Close() })
	s.taken()
	return made, sub
}

const attributes = `<GetTopicAttributesResponse><GetTopicAttributesResult><Attributes/></GetTopicAttributesResult></GetTopicAttributesResponse>`

// handles returns messages with these handles.
func handles(names ...string) []topic.Message {
	out := make([]topic.Message, len(names))
	for i, n := range names {
		out[i].Handle = n
	}
	return out
}

// Ack repeats the entries that could not be deleted, and no others.
func TestAckRepeatsFailedEntries(t *testing.T) {
	var sent [][]string
	busy := map[string]int{} // how many more times the entry fails; −1: always, by the sender's fault
	s := &scripted{answer: func(w http.ResponseWriter, action string, body []byte) {
		if action != "DeleteMessageBatch" {
			_, _ = w.Write([]byte(attributes))
			return
		}
		var in struct {
			Entries []struct{ Id, ReceiptHandle string }
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		var names, failed []string
		for _, e := range in.Entries {
			names = append(names, e.ReceiptHandle)
			if n := busy[e.ReceiptHandle]; n != 0 {
				failed = append(failed,
					fmt.Sprintf(`{"Id":%q,"Code":"Busy","Message":"later","SenderFault":%t}`, e.Id, n < 0))
				busy[e.ReceiptHandle]--
			}
		}
		sent = append(sent, names)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = fmt.Fprintf(w, `{"Successful":[],"Failed":[%s]}`, strings.Join(failed, ","))
	}}
	_, sub := s.start(t)
	for _, test := range []struct {
		name  string
		in    []string
		busy  map[string]int
		sent  [][]string
		cause string
		final bool
	}{
		{name: "all", in: []string{"a", "b"}, sent: [][]string{{"a", "b"}}},
		{
			name: "eleven", in: strings.Split("abcdefghijk", ""),
			sent: [][]string{strings.Split("abcdefghij", ""), {"k"}},
		},
		{name: "some fail once or twice", in: []string{"a", "b", "c"}, busy: map[string]int{"b": 2, "c": 1},
			sent: [][]string{{"a", "b", "c"}, {"b", "c"}, {"b"}}},
		{
			name: "one always fails", in: []string{"a", "b"}, busy: map[string]int{"a": 9}, cause: topic.CauseUnavailable,
			sent: [][]string{{"a", "b"}, {"a"}, {"a"}, {"a"}},
		},
		{name: "sender's fault", in: []string{"a", "b"}, busy: map[string]int{"b": -1}, cause: topic.CauseUnavailable,
			final: true, sent: [][]string{{"a", "b"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent, busy = nil, test.busy
			err := sub.Ack(t.Context(), handles(test.in...))
			if (err == nil) != (test.cause == "") || err != nil &&
				(topic.CauseOf(err) != test.cause || isFinal(err) != test.final) {
				t.Errorf("the error is %v, want the cause %q", err, test.cause)
			}
			if diff := cmp.Diff(test.sent, sent); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
	if err := sub.Ack(t.Context(), []topic.Message{{}}); topic.CauseOf(err) != topic.CauseProtocol {
		t.Errorf("acknowledging a message that was not received: %v, want the cause %q", err, topic.CauseProtocol)
	}
}

func isFinal(err error) bool {
	known, ok := err.(*topic.Error)
	return ok && known.Final
}

// Publishing and receiving send one request each, whatever the response, and report its cause.
func TestPublishIsOneRequest(t *testing.T) {
	status, body := 0, ""
	s := &scripted{answer: func(w http.ResponseWriter, action string, _ []byte) {
		if status != 0 {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(body))
	}}
	body = attributes
	made, sub := s.start(t)
	p, err := made.Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	xml := func(code, message string) string {
		return fmt.Sprintf("<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>", code, message)
	}
	for _, test := range []struct {
		status      int
		body, cause string
		final       bool
		want        string
	}{
		{500, xml("InternalError", "sorry\nmore"), topic.CauseUnavailable, false,
			"publishing: 500 InternalError: sorry"},
		{503, "<html>busy", topic.CauseUnavailable, false, "status 503"},
		{200, "<html>hello", topic.CauseProtocol, false, "is not a valid SNS"},
		{400, xml("Throttled", "slow"), topic.CauseThrottled, false, "Throttled"},
		{403, xml("AuthorizationError", "no"), topic.CauseDenied, true, "403 AuthorizationError: no"},
		{403, xml("SignatureDoesNotMatch", "no"), topic.CauseDenied, true, ""},
		{404, xml("NotFound", "Topic does not exist"), topic.CauseNotFound, false, "Topic does not exist"},
		{400, xml("InvalidParameter", "Message too long"), topic.CauseTooLarge, true, ""},
		{400, xml("InvalidParameter", "TopicArn"), topic.CauseUsage, true, ""},
		{418, xml("Teapot", "x"), topic.CauseProtocol, false, "418 Teapot: x"},
	} {
		status, body = test.status, test.body
		s.taken()
		err := p.Publish(t.Context(), []byte("x"))
		if topic.CauseOf(err) != test.cause || isFinal(err) != test.final ||
			!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: %v (cause %s), want %s and %q",
				test.status, test.body, err, topic.CauseOf(err), test.cause, test.want)
		}
		if calls := s.taken(); !slices.Equal(calls, []string{"Publish"}) {
			t.Errorf("%d: the calls are %v, want one", test.status, calls)
		}
	}
	status, body = 500, `{"__type":"com.amazonaws.sqs#InternalError","message":"x"}`
	if _, err := sub.Receive(t.Context()); topic.CauseOf(err) != topic.CauseUnavailable {
		t.Errorf("receiving: %v", err)
	}
	if calls := s.taken(); !slices.Equal(calls, []string{"ReceiveMessage"}) {
		t.Errorf("the calls are %v, want one", calls)
	}
}

// Open reports a refused connection, a cancelled context and missing credentials.
func TestOpenErrors(t *testing.T) {
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	gone := "http://" + peertest.Addresses(t, 1)[0]
	_, err := Open(t.Context(),
		topic.Config{URL: mustURL(t, "awssnssqs://x?region=eu-west-1&endpoint="+url.QueryEscape(gone)),
			Timeout: topictest.Patience})
	if topic.CauseOf(err) != topic.CauseRefused || strings.Contains(err.Error(), "geheim") {
		t.Errorf("%v, want %s", err, topic.CauseRefused)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx,
		topic.Config{URL: mustURL(t, "awssnssqs://x?region=eu-west-1&endpoint="+
			url.QueryEscape(gone))}); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err = Open(t.Context(), topic.Config{URL: mustURL(t, "awssnssqs://x?region=eu-west-1")})
	if topic.CauseOf(err) != topic.CauseDenied || !strings.Contains(err.Error(), "no credentials found") {
		t.Errorf("%v, want %s", err, topic.CauseDenied)
	}
}
