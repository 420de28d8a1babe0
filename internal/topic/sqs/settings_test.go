package sqs

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestParse(t *testing.T) {
	defaults := settings{topic: defaultTopic, create: true, visibility: 30 * time.Second, wait: 20 * time.Second}
	topictest.Parse(t, parse, defaults, []topictest.Parsed[settings]{
		{URL: "awssnssqs://", Want: func(*settings) {}},
		{URL: "awssnssqs://my_Topic-1?region=eu-west-1&profile=p&create=false&queue=q", Want: func(s *settings) {
			s.topic, s.region, s.profile, s.create, s.queue = "my_Topic-1", "eu-west-1", "p", false, "q"
		}},
		{URL: "awssnssqs:///arn:aws:sns:us-east-2:123456789012:t?visibility=2m&wait=1s", Want: func(s *settings) {
			s.arn, s.topic, s.region = "arn:aws:sns:us-east-2:123456789012:t", "t", "us-east-2"
			s.visibility, s.wait = 2*time.Minute, time.Second
		}},
		{URL: "awssnssqs://t?endpoint=http://127.0.0.1:4566/", Want: func(s *settings) {
			s.topic, s.endpoint, s.sqsEndpoint = "t", "http://127.0.0.1:4566", "http://127.0.0.1:4566"
		}},
		{URL: "awssnssqs://t?endpoint=http://a&sqs_endpoint=https://b/c", Want: func(s *settings) {
			s.topic, s.endpoint, s.sqsEndpoint = "t", "http://a", "https://b/c"
		}},
		{URL: "nats://t", Err: `the scheme "nats"`},
		{URL: "awssnssqs://key:geheim@t", Err: "the URL contains a user"},
		{URL: "awssnssqs://t/x", Err: "has a path"},
		{URL: "awssnssqs://t.fifo", Err: "FIFO topic"},
		{URL: "awssnssqs:///arn:aws:sns:us-east-2:1:t.fifo", Err: "FIFO topic"},
		{URL: "awssnssqs:///arn:aws:sqs:us-east-2:1:t", Err: "not a topic ARN"},
		{URL: "awssnssqs:///arn:aws:sns:us-east-2:1:t:sub", Err: "not a topic ARN"},
		{URL: "awssnssqs:///arn:aws:sns:us-east-2:1:t?region=eu-west-1", Err: "not the topic's region"},
		{URL: "awssnssqs://t.x", Err: "not a valid topic name"},
		{URL: "awssnssqs://t?region=../x", Err: "not a valid region"},
		{URL: "awssnssqs://t?endpoint=ftp://x", Err: "endpoint= is not an http"},
		{URL: "awssnssqs://t?endpoint=http://u:geheim@x", Err: "endpoint= can contain only"},
		{URL: "awssnssqs://t?queue=a.b", Err: "not a valid queue name"},
		{URL: "awssnssqs://t?create=x", Err: "true or false"},
		{URL: "awssnssqs://t?visibility=1500ms", Err: "whole seconds between 1s and 12h"},
		{URL: "awssnssqs://t?visibility=0s", Err: "whole seconds"},
		{URL: "awssnssqs://t?wait=21s", Err: "between 1s and 20s"},
		{URL: "awssnssqs://t?wat=21s", Err: `no option "wat"`},
		{URL: "awssnssqs://t?a=%zz", Err: "is invalid"},
	})
}
