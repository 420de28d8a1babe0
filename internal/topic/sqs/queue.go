package sqs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// setup finds or makes the queue of a server, and its subscription.
type setup struct {
	topic *snsTopic
	sns   *sns.Client
	sqs   *sqs.Client
	name  string

	queueURL     string
	queueARN     string
	made         bool // the queue was made here
	subscription string
}

func (s *setup) run(ctx context.Context) error {
	if err := s.findQueue(ctx); err != nil {
		return err
	}
	found, err := s.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl:       &s.queueURL,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn, types.QueueAttributeNamePolicy},
	})
	if err != nil {
		return err
	}
	if s.queueARN = found.Attributes["QueueArn"]; s.queueARN == "" {
		return topic.Fail(topic.CauseProtocol, true, "SQS does not return the queue's ARN")
	}
	if !s.topic.settings.create {
		return s.findSubscription(ctx)
	}
	if err := s.allow(ctx, found.Attributes["Policy"]); err != nil {
		return err
	}
	made, err := s.sns.Subscribe(ctx, &sns.SubscribeInput{
		TopicArn: &s.topic.arn, Protocol: aws.String("sqs"), Endpoint: &s.queueARN,
		Attributes: map[string]string{"RawMessageDelivery": "true"}, ReturnSubscriptionArn: true,
	})
	if err != nil {
		return err
	}
	s.subscription = aws.ToString(made.SubscriptionArn)
	return s.checkSubscription(ctx)
}

// findQueue finds the queue, or makes it.
func (s *setup) findQueue(ctx context.Context) error {
	found, err := s.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &s.name})
	if err == nil {
		s.queueURL = aws.ToString(found.QueueUrl)
		return nil
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		if cause, _ := causeOfCode(api); cause == topic.CauseNotFound && s.topic.settings.create {
			return s.makeQueue(ctx)
		}
	}
	return err
}

// makeQueue makes the queue with its policy, because SNS may not see one that is set later for a
// minute, and throws away what it is not allowed to send.
func (s *setup) makeQueue(ctx context.Context) error {
	attributes := map[string]string{
		"VisibilityTimeout":             strconv.Itoa(int(s.topic.settings.visibility / time.Second)),
		"ReceiveMessageWaitTimeSeconds": strconv.Itoa(int(s.topic.settings.wait / time.Second)),
	}
	if arn := strings.Split(s.topic.arn, ":"); len(arn) == 6 {
		arn[2], arn[5] = "sqs", s.name
		policy, _, err := allowing("", strings.Join(arn, ":"), s.topic.arn)
		if err != nil {
			return err
		}
		attributes["Policy"] = policy
	}
	made, err := s.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &s.name, Attributes: attributes})
	if err != nil {
		return err
	}
	s.queueURL, s.made = aws.ToString(made.QueueUrl), true
	return nil
}

// allow lets the topic send to the queue, unless it may already.
func (s *setup) allow(ctx context.Context, policy string) error {
	policy, changed, err := allowing(policy, s.queueARN, s.topic.arn)
	if err != nil || !changed {
		return err
	}
	_, err = s.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{
		QueueUrl: &s.queueURL, Attributes: map[string]string{"Policy": policy},
	})
	return err
}

// allowing is a queue's policy with a statement that lets the topic send to it. Other statements
// stay as they are.
func allowing(policy, queue, topicARN string) (with string, changed bool, err error) {
	document := map[string]any{"Version": "2012-10-17"}
	if policy != "" {
		if err := json.Unmarshal([]byte(policy), &document); err != nil {
			return "", false, topic.Fail(topic.CauseProtocol, true, "cannot parse the queue's policy: %w", err)
		}
	}
	var statements []any
	switch s := document["Statement"].(type) {
	case []any:
		statements = s
	case map[string]any: // one alone needs no brackets
		statements = []any{s}
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(topicARN))
	id := fmt.Sprintf("Plimsoll%016x", hash.Sum64())
	for _, s := range statements {
		if statement, ok := s.(map[string]any); ok && statement["Sid"] == id && statement["Resource"] == queue {
			return policy, false, nil
		}
	}
	document["Statement"] = append(statements, map[string]any{
		"Sid": id, "Effect": "Allow", "Principal": map[string]any{"Service": "sns.amazonaws.com"},
		"Action": "sqs:SendMessage", "Resource": queue,
		"Condition": map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": topicARN}},
	})
	b, err := json.Marshal(document)
	return string(b), true, err
}

// findSubscription finds the subscription that has to be there.
func (s *setup) findSubscription(ctx context.Context) error {
	pages := sns.NewListSubscriptionsByTopicPaginator(s.sns, &sns.ListSubscriptionsByTopicInput{TopicArn: &s.topic.arn})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, found := range page.Subscriptions {
			if aws.ToString(found.Endpoint) == s.queueARN {
				s.subscription = aws.ToString(found.SubscriptionArn)
				return s.checkSubscription(ctx)
			}
		}
	}
	return topic.Fail(topic.CauseNotFound, true,
		"it is not subscribed to %s: subscribe it with raw message delivery, or remove create=false from the URL",
		s.topic.arn)
}

// checkSubscription refuses a subscription that was there, and delivers other than all messages as they are.
func (s *setup) checkSubscription(ctx context.Context) error {
	found, err := s.sns.GetSubscriptionAttributes(ctx,
		&sns.GetSubscriptionAttributesInput{SubscriptionArn: &s.subscription})
	if err != nil {
		return err
	}
	if found.Attributes["RawMessageDelivery"] != "true" {
		return topic.Fail(topic.CauseUnsupported, true,
			"it is subscribed without raw message delivery: enable that, or use another queue with queue=")
	}
	if filter := found.Attributes["FilterPolicy"]; filter != "" && filter != "{}" && filter != "null" {
		return topic.Fail(topic.CauseUnsupported, true,
			"its subscription has a filter, which would hold messages back: remove the filter, or use another queue with queue=")
	}
	return nil
}

// undo removes the queue that was made here, and its subscription. It does so even when ctx is
// done, within the timeout.
func (s *setup) undo(ctx context.Context, timeout time.Duration) error {
	if !s.made {
		return nil
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	var unsubscribed error
	if s.subscription != "" {
		_, unsubscribed = s.sns.Unsubscribe(within, &sns.UnsubscribeInput{SubscriptionArn: &s.subscription})
	}
	_, deleted := s.sqs.DeleteQueue(within, &sqs.DeleteQueueInput{QueueUrl: &s.queueURL})
	if err := errors.Join(unsubscribed, deleted); err != nil {
		return explain(within, "deleting the queue "+s.name+", which you must now delete yourself", err)
	}
	s.made = false
	return nil
}
