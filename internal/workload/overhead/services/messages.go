package services

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	metric "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	event "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/tracing"
)

func setUpSNS(ctx context.Context, s *Stand) error {
	c := sns.NewFromConfig(s.cfg)
	name := s.name()
	s.topic = ""
	return s.create(ctx, "CreateTopic", "topic "+name, func(ctx context.Context) error {
		out, err := c.CreateTopic(ctx, &sns.CreateTopicInput{Name: &name})
		if err == nil {
			s.topic = aws.ToString(out.TopicArn)
		}
		return err
	}, func(ctx context.Context) error {
		topic := s.topic
		if topic == "" { // the answer was lost
			var err error
			if topic, err = topicOf(ctx, s, name); err != nil {
				return err
			}
		}
		_, err := c.DeleteTopic(ctx, &sns.DeleteTopicInput{TopicArn: &topic})
		return err
	})
}

// topicOf is what a topic of the account is called in full. To create it again would tell, too, and
// leave one behind where none was.
func topicOf(ctx context.Context, s *Stand, name string) (string, error) {
	out, err := sts.NewFromConfig(s.cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", err
	}
	partition := "aws" // of an answer like arn:aws:iam::123456789012:user/me
	if parts := strings.Split(aws.ToString(out.Arn), ":"); len(parts) > 1 {
		partition = parts[1]
	}
	return "arn:" + partition + ":sns:" + s.cfg.Region + ":" + aws.ToString(out.Account) + ":" + name, nil
}

func openSNS(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := sns.NewFromConfig(cfg, func(o *sns.Options) { o.TracerProvider = t })
	return []Call{
		func(ctx context.Context) error {
			out, err := c.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: &s.topic})
			return whole(err, func() bool { return out.Attributes == nil })
		},
		func(ctx context.Context) error {
			out, err := c.Publish(ctx, &sns.PublishInput{TopicArn: &s.topic, Message: aws.String("hello")})
			return whole(err, func() bool { return out.MessageId == nil })
		},
	}
}

// Elsewhere than at AWS any role can be assumed.
const anyRole = "arn:aws:iam::123456789012:role/plimsoll"

func setUpSTS(ctx context.Context, s *Stand) error {
	s.role = anyRole
	if !s.remote.Real || !s.wanted("STS/AssumeRole") {
		return nil
	}
	return setUpRole(ctx, s)
}

func assumeRole(ctx context.Context, c *sts.Client, role *string) error {
	out, err := c.AssumeRole(ctx, &sts.AssumeRoleInput{RoleArn: role, RoleSessionName: aws.String("plimsoll")})
	return whole(err, func() bool { return out.Credentials == nil })
}

func openSTS(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := sts.NewFromConfig(cfg, func(o *sts.Options) { o.TracerProvider = t })
	return []Call{
		func(ctx context.Context) error { return assumeRole(ctx, c, &s.role) },
		func(ctx context.Context) error {
			out, err := c.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
			return whole(err, func() bool { return out.Arn == nil })
		},
	}
}

func openCloudWatch(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := cloudwatch.NewFromConfig(cfg, func(o *cloudwatch.Options) { o.TracerProvider = t })
	// The hour before the run began: what is asked for is the same in each call.
	to := time.Now().Truncate(time.Minute)
	from := to.Add(-time.Hour)
	namespace, name := "Plimsoll/"+s.suffix, "calls"
	return []Call{
		func(ctx context.Context) error {
			out, err := c.GetMetricData(ctx, &cloudwatch.GetMetricDataInput{
				StartTime: &from, EndTime: &to,
				MetricDataQueries: []metric.MetricDataQuery{{
					Id: aws.String("m1"),
					MetricStat: &metric.MetricStat{
						Metric: &metric.Metric{Namespace: &namespace, MetricName: &name},
						Period: aws.Int32(60), Stat: aws.String("Sum"),
					},
				}},
			})
			return whole(err, func() bool { return out.MetricDataResults == nil })
		},
		func(ctx context.Context) error { // whose answer has nothing in it
			_, err := c.PutMetricData(ctx, &cloudwatch.PutMetricDataInput{
				Namespace:  &namespace,
				MetricData: []metric.MetricDatum{{MetricName: &name, Value: aws.Float64(1)}},
			})
			return err
		},
	}
}

func setUpEvents(ctx context.Context, s *Stand) error {
	c := eventbridge.NewFromConfig(s.cfg)
	s.bus = s.name()
	bus := s.bus
	return s.create(ctx, "CreateEventBus", "event bus "+bus, func(ctx context.Context) error {
		_, err := c.CreateEventBus(ctx, &eventbridge.CreateEventBusInput{Name: &bus})
		return err
	}, func(ctx context.Context) error {
		_, err := c.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: &bus})
		return err
	})
}

// refusedEvent is the error of an event that was not taken, which is told in an answer that went well.
func refusedEvent(entries []event.PutEventsResultEntry) error {
	for _, e := range entries {
		if e.ErrorCode != nil {
			return &smithy.GenericAPIError{Code: *e.ErrorCode, Message: aws.ToString(e.ErrorMessage)}
		}
	}
	return errors.New("the service did not accept the event")
}

func openEvents(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) { o.TracerProvider = t })
	return []Call{
		func(ctx context.Context) error {
			out, err := c.DescribeEventBus(ctx, &eventbridge.DescribeEventBusInput{Name: &s.bus})
			return whole(err, func() bool { return out.Arn == nil })
		},
		func(ctx context.Context) error {
			out, err := c.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: []event.PutEventsRequestEntry{{
				EventBusName: &s.bus, Source: aws.String("plimsoll"), DetailType: aws.String("call"),
				Detail: aws.String(`{"n":1}`),
			}}})
			if err == nil && out.FailedEntryCount > 0 {
				err = refusedEvent(out.Entries)
			}
			return whole(err, func() bool { return out.Entries == nil })
		},
	}
}
