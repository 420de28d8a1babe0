package sqs

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// setups opens topics, queues and subscriptions that exist and that do not.
func setups(t *testing.T, endpoint string) {
	where := "region=eu-west-1&endpoint=" + url.QueryEscape(endpoint)
	u := mustURL(t, "awssnssqs://mine?create=false&"+where)
	if _, err := Open(t.Context(), topic.Config{URL: u}); topic.CauseOf(err) != topic.CauseNotFound {
		t.Errorf("opening a missing topic with create=false: %v, want the cause %s", err, topic.CauseNotFound)
	}
	made := mustOpen(t, "awssnssqs://mine?%s", where)
	u = mustURL(t, "awssnssqs://mine?create=false&"+where)
	opened, err := Open(t.Context(), topic.Config{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Subscribe(t.Context(),
		topic.SubscribeOptions{Name: "a"}); topic.CauseOf(err) != topic.CauseNotFound {
		t.Errorf("subscribing a missing queue with create=false: %v, want the cause %s", err, topic.CauseNotFound)
	}
	first := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a"})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	byARN := mustOpen(t, "awssnssqs:///%s?create=false&endpoint=%s", made.arn, url.QueryEscape(endpoint))
	second := mustSubscribe(t, byARN, topic.SubscribeOptions{Name: "a", Ephemeral: true})
	if second.queueURL != first.queueURL {
		t.Errorf("the queue is %s, want %s", second.queueURL, first.queueURL)
	}
	if err := second.Close(); err != nil { // it did not create the queue, so it must not delete it
		t.Fatal(err)
	}
	ephemeral := mustSubscribe(t, made, topic.SubscribeOptions{Name: "b", Ephemeral: true})
	if err := errors.Join(ephemeral.Close(), ephemeral.Close()); err != nil {
		t.Fatal(err)
	}
	mustBeOnlyQueue(t, made, "mine-a")
	foreignQueue(t, made, "awssnssqs://mine?create=false&"+where)
}

// mustBeOnlyQueue checks that this is the only queue left, and the only subscription.
func mustBeOnlyQueue(t *testing.T, made *snsTopic, name string) {
	t.Helper()
	client := made.newHTTP()
	defer client.CloseIdleConnections()
	queues, err := made.newSQS(client).ListQueues(t.Context(),
		&sqs.ListQueuesInput{QueueNamePrefix: aws.String("mine-")})
	if err != nil || len(queues.QueueUrls) != 1 || !strings.HasSuffix(queues.QueueUrls[0], "/"+name) {
		t.Errorf("the queues are %v (%v), want %s", queues, err, name)
	}
	subs, err := made.newSNS(client).ListSubscriptionsByTopic(t.Context(),
		&sns.ListSubscriptionsByTopicInput{TopicArn: &made.arn})
	if err != nil || len(subs.Subscriptions) != 1 || !strings.HasSuffix(*subs.Subscriptions[0].Endpoint, ":"+name) {
		t.Errorf("the subscriptions are %v (%v), want that of %s", subs, err, name)
	}
}

// foreignQueue subscribes a queue that another program created: its policy must stay, and a subscription without raw
// delivery or with a filter must be refused. The URL says create=false, because moto would otherwise change the
// attributes of the existing subscription, which SNS does not.
func foreignQueue(t *testing.T, made *snsTopic, url string) {
	client := made.newHTTP()
	defer client.CloseIdleConnections()
	const policy = `{"Version":"2012-10-17","Statement":{"Sid":"others","Effect":"Allow","Principal":"*","Action":"sqs:SendMessage","Resource":"*"}}`
	queues, topics := made.newSQS(client), made.newSNS(client)
	q, err := queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName: aws.String("mine-c"), Attributes: map[string]string{"Policy": policy},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := mustSubscribe(t, made, topic.SubscribeOptions{Name: "c"})
	defer func() { _ = c.Close() }()
	got, err := queues.GetQueueAttributes(t.Context(),
		&sqs.GetQueueAttributesInput{QueueUrl: q.QueueUrl, AttributeNames: []types.QueueAttributeName{"Policy"}})
	if err != nil || !strings.Contains(got.Attributes["Policy"], `"others"`) ||
		!strings.Contains(got.Attributes["Policy"], made.arn) {
		t.Errorf("the policy is %v (%v), want both statements", got, err)
	}
	set := func(name, value string) {
		_, err := topics.SetSubscriptionAttributes(t.Context(), &sns.SetSubscriptionAttributesInput{
			SubscriptionArn: &c.subscription, AttributeName: aws.String(name), AttributeValue: aws.String(value),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	there := mustOpen(t, "%s", url)
	for _, a := range []struct{ name, good, bad string }{
		{"RawMessageDelivery", "true", "false"},
		{"FilterPolicy", "{}", `{"a":["b"]}`},
	} {
		set(a.name, a.bad)
		_, err = there.Subscribe(t.Context(), topic.SubscribeOptions{Name: "c"})
		if topic.CauseOf(err) != topic.CauseUnsupported || !strings.Contains(err.Error(), "mine-c") {
			t.Errorf("subscribing with %s=%s: %v, want the cause %s", a.name, a.bad, err, topic.CauseUnsupported)
		}
		set(a.name, a.good)
		if err := mustSubscribe(t, there, topic.SubscribeOptions{Name: "c"}).Close(); err != nil {
			t.Error(err)
		}
	}
}

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func mustSubscribe(t *testing.T, made *snsTopic, o topic.SubscribeOptions) *subscription {
	t.Helper()
	s, err := made.Subscribe(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*subscription)
}
