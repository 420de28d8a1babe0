package sqs

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "geheim", "AWS_CONFIG_FILE": os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_SESSION_TOKEN"} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // the tests mostly wait for the server
		panic(err)
	}
	leaktest.Main(m)
}

// mustOpen opens the topic at a URL.
func mustOpen(t testing.TB, format string, args ...any) *snsTopic {
	t.Helper()
	u, err := url.Parse(fmt.Sprintf(format, args...))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: topictest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	return opened.(*snsTopic)
}

// TestMoto runs the conformance suite from SNS to SQS against moto.
func TestMoto(t *testing.T) {
	endpoint := peertest.Moto(t)
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		if ackTime < time.Minute && !strings.HasSuffix(t.Name(), "/redelivery") { // which relies on it
			ackTime = time.Second
		}
		return mustOpen(t, "awssnssqs://updates-%d?region=eu-west-1&endpoint=%s&visibility=%s&wait=5s",
			topics.Add(1), url.QueryEscape(endpoint), ackTime)
	})
	t.Run("setup", func(t *testing.T) {
		t.Parallel()
		setups(t, endpoint)
	})
}

// TestElasticMQ runs the conformance suite against ElasticMQ, which enforces the limits of SQS strictly. It has no SNS; a
// fake forwards what is published to the queues.
func TestElasticMQ(t *testing.T) {
	jars := os.Getenv("PLIMSOLL_ELASTICMQ")
	if jars == "" {
		t.Skip("PLIMSOLL_ELASTICMQ is not set; run 'make test-transports'")
	}
	queues := startElasticMQ(t, jars)
	sns := startFakeSNS(t, queues)
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		return mustOpen(t, "awssnssqs://updates-%d?region=elasticmq&endpoint=%s&sqs_endpoint=%s&visibility=%s",
			topics.Add(1), url.QueryEscape(sns), url.QueryEscape(queues), ackTime)
	})
}
