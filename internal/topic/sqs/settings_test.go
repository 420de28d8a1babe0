package sqs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	defaults := settings{topic: defaultTopic, create: true, visibility: 30 * time.Second, wait: 20 * time.Second}
	for _, test := range []struct {
		url  string
		want func(*settings)
		err  string
	}{
		{url: "awssnssqs://", want: func(*settings) {}},
		{url: "awssnssqs://my_Topic-1?region=eu-west-1&profile=p&create=false&queue=q", want: func(s *settings) {
			s.topic, s.region, s.profile, s.create, s.queue = "my_Topic-1", "eu-west-1", "p", false, "q"
		}},
		{url: "awssnssqs:///arn:aws:sns:us-east-2:123456789012:t?visibility=2m&wait=1s", want: func(s *settings) {
			s.arn, s.topic, s.region = "arn:aws:sns:us-east-2:123456789012:t", "t", "us-east-2"
			s.visibility, s.wait = 2*time.Minute, time.Second
		}},
		{url: "awssnssqs://t?endpoint=http://127.0.0.1:4566/", want: func(s *settings) {
			s.topic, s.endpoint, s.sqsEndpoint = "t", "http://127.0.0.1:4566", "http://127.0.0.1:4566"
		}},
		{url: "awssnssqs://t?endpoint=http://a&sqs_endpoint=https://b/c", want: func(s *settings) {
			s.topic, s.endpoint, s.sqsEndpoint = "t", "http://a", "https://b/c"
		}},
		{url: "nats://t", err: `the scheme "nats"`},
		{url: "awssnssqs://key:geheim@t", err: "the URL has a user"},
		{url: "awssnssqs://t/x", err: "has a path"},
		{url: "awssnssqs://t.fifo", err: "keeps its messages in order"},
		{url: "awssnssqs:///arn:aws:sns:us-east-2:1:t.fifo", err: "keeps its messages in order"},
		{url: "awssnssqs:///arn:aws:sqs:us-east-2:1:t", err: "not the ARN of a topic"},
		{url: "awssnssqs:///arn:aws:sns:us-east-2:1:t:sub", err: "not the ARN of a topic"},
		{url: "awssnssqs:///arn:aws:sns:us-east-2:1:t?region=eu-west-1", err: "not that of the topic"},
		{url: "awssnssqs://t.x", err: "not a topic's name"},
		{url: "awssnssqs://t?region=../x", err: "not a region"},
		{url: "awssnssqs://t?endpoint=ftp://x", err: "endpoint= is not an http"},
		{url: "awssnssqs://t?endpoint=http://u:geheim@x", err: "endpoint= is more than"},
		{url: "awssnssqs://t?queue=a.b", err: "not a queue's name"},
		{url: "awssnssqs://t?create=x", err: "not true or false"},
		{url: "awssnssqs://t?visibility=1500ms", err: "whole seconds from 1s to 12h"},
		{url: "awssnssqs://t?visibility=0s", err: "whole seconds"},
		{url: "awssnssqs://t?wait=21s", err: "from 1s to 20s"},
		{url: "awssnssqs://t?wat=21s", err: `no option "wat"`},
		{url: "awssnssqs://t?a=%zz", err: "cannot be read"},
	} {
		got, err := parse(mustURL(t, test.url))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%s: %v, want %q", test.url, err, test.err)
			}
			continue
		}
		want := defaults
		test.want(&want)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{})); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.url, err, diff)
		}
	}
}

func TestQueueName(t *testing.T) {
	s := settings{topic: "updates"}
	if name, err := s.queueName("server-1"); name != "updates-server-1" || err != nil {
		t.Errorf("%s, %v", name, err)
	}
	if _, err := s.queueName(strings.Repeat("x", 73)); err == nil {
		t.Error("a name of 81 characters is taken")
	}
	s.queue = "mine"
	if name, err := s.queueName("server-1"); name != "mine" || err != nil {
		t.Errorf("%s, %v", name, err)
	}
}
