package sqs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/plimsoll/plimsoll/internal/awsload"
	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// library is the client's import path.
const library = "github.com/aws/aws-sdk-go-v2"

// snsTopic is an opened topic.
type snsTopic struct {
	settings settings
	timeout  time.Duration
	config   aws.Config
	arn      string
}

// Open finds the credentials, and finds or makes the topic.
func Open(ctx context.Context, c topic.Config) (topic.Topic, error) {
	s, err := parse(c.URL)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	t := &snsTopic{settings: s, timeout: c.Timeout}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := t.load(within); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	client := t.newHTTP()
	defer client.CloseIdleConnections()
	if err := t.findTopic(within, t.newSNS(client)); err != nil {
		return nil, explain(ctx, "the topic "+s.topic, err)
	}
	return t, nil
}

// load reads the SDK's configuration and finds the credentials.
func (t *snsTopic) load(ctx context.Context) error {
	var err error
	if t.config, err = awsload.Load(ctx, awsload.Options{
		Region: t.settings.region, Profile: t.settings.profile, Within: t.timeout,
	}); err != nil {
		return topic.Fail(topic.CauseUsage, true, "cannot read the AWS configuration: %s", cause.Line(err.Error()))
	}
	t.config.AppID = "plimsoll"
	if t.config.Region == "" {
		return topic.Fail(topic.CauseUsage, true, "no region set: add region= to the URL, or set AWS_REGION")
	}
	if t.config.Credentials == nil {
		return topic.Fail(topic.CauseDenied, true,
			"no credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	}
	if _, err := t.config.Credentials.Retrieve(ctx); err != nil {
		return topic.Fail(topic.CauseDenied, true, "no credentials found: set AWS_ACCESS_KEY_ID and "+
			"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE: %s", cause.Line(err.Error()))
	}
	return nil
}

// newHTTP makes an HTTP client with connections of its own.
func (t *snsTopic) newHTTP() *http.Client {
	transport := bounded.NewTransport()
	transport.TLSClientConfig = awsload.CA(&t.config)
	transport.ForceAttemptHTTP2 = true
	// Each listener and each message in flight has a connection, which is kept.
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 4096, 4096
	transport.IdleConnTimeout = 90 * time.Second
	return bounded.Client(plain{transport}, 0, longestAnswer)
}

// longestAnswer is what no answer exceeds: those messages of SQS that fit into a megabyte, as JSON.
const longestAnswer = 8 << 20

// plain gives net/http bodies that can be read, and no more. The SDK's can write themselves, too;
// it closes them when the answer begins, and from then on that fails where reading says that this
// is the end. net/http takes it for a request that was not sent, and closes the connection before
// the answer's body has come.
type plain struct{ *http.Transport }

func (p plain) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.Body != http.NoBody {
		req = req.WithContext(req.Context()) // a copy: it is the caller's
		req.Body = struct{ io.ReadCloser }{req.Body}
	}
	return p.Transport.RoundTrip(req)
}

func (t *snsTopic) newSNS(client *http.Client, options ...func(*sns.Options)) *sns.Client {
	return sns.NewFromConfig(t.config, append([]func(*sns.Options){func(o *sns.Options) {
		o.HTTPClient = client
		if t.settings.endpoint != "" {
			o.BaseEndpoint = aws.String(t.settings.endpoint)
		}
	}}, options...)...)
}

func (t *snsTopic) newSQS(client *http.Client) *sqs.Client {
	return sqs.NewFromConfig(t.config, func(o *sqs.Options) {
		o.HTTPClient = client
		if t.settings.sqsEndpoint != "" {
			o.BaseEndpoint = aws.String(t.settings.sqsEndpoint)
		}
		// The messages have checksums of their own.
		o.DisableMessageChecksumValidation = true
	})
}

// findTopic finds the topic, or makes it.
func (t *snsTopic) findTopic(ctx context.Context, client *sns.Client) error {
	switch {
	case t.settings.arn != "":
		t.arn = t.settings.arn
		_, err := client.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: &t.arn})
		return err
	case t.settings.create: // which finds it, too
		made, err := client.CreateTopic(ctx, &sns.CreateTopicInput{Name: &t.settings.topic})
		if err == nil && aws.ToString(made.TopicArn) == "" {
			err = topic.Fail(topic.CauseProtocol, true, "SNS does not return the ARN of topic %s",
				t.settings.topic)
		}
		if err == nil {
			t.arn = *made.TopicArn
		}
		return err
	}
	pages := sns.NewListTopicsPaginator(client, &sns.ListTopicsInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, found := range page.Topics {
			if arn := aws.ToString(found.TopicArn); strings.HasSuffix(arn, ":"+t.settings.topic) {
				t.arn = arn
				return nil
			}
		}
	}
	return topic.Fail(topic.CauseNotFound, true, "topic %s does not exist in %s: create it, or remove create=false "+
		"from the URL",
		t.settings.topic, t.config.Region)
}

// Describe tells what the transport is and can.
func (t *snsTopic) Describe() topic.Description {
	where := "sns." + t.config.Region + ".amazonaws.com"
	if u, err := url.Parse(t.settings.endpoint); err == nil && u.Host != "" {
		where = u.Host
	}
	return topic.Description{
		Transport: "Amazon SNS and SQS", Metrics: "AwsSqs", Clock: "Aws", Client: library, Endpoint: where,
		AtLeastOnce: true, Durable: true, MaxMessage: maxPayload,
		Acknowledged: "SNS has stored the message; it is not in a queue yet",
		BrokerTime:   "when SQS added the message to the queue, in whole milliseconds",
		Notes: []string{
			"Messages are sent as base64 text, 4 bytes for every 3; SNS allows 256 KiB.",
			fmt.Sprintf("A receive call is one long poll for at most %d messages, which waits up to %s.",
				maxBatch, t.settings.wait),
			fmt.Sprintf("A message that is not acknowledged within %s becomes visible again and is redelivered.",
				t.settings.visibility),
			"SQS does not preserve order and can deliver a message twice.",
		},
	}
}

// Publisher makes a publisher with connections of its own.
func (t *snsTopic) Publisher(ctx context.Context) (topic.Publisher, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	client := t.newHTTP()
	return &publisher{topic: t, http: client,
		sns: t.newSNS(client, func(o *sns.Options) { o.Retryer = aws.NopRetryer{} })}, nil
}

// Subscribe finds the queue of the server, or makes it, and subscribes it.
func (t *snsTopic) Subscribe(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	o.Batch = min(maxBatch, max(1, o.Batch))
	if !topic.ValidName(o.Name) {
		return nil, topic.Fail(topic.CauseUsage, true,
			"%q is not a valid subscription name: use letters, digits, '-' and '_'", o.Name)
	}
	name, err := t.settings.queueName(o.Name)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	client := t.newHTTP()
	setup := &setup{topic: t, sns: t.newSNS(client), sqs: t.newSQS(client), name: name}
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := setup.run(within); err != nil {
		if o.Ephemeral {
			err = errors.Join(err, setup.undo(ctx, t.timeout))
		}
		client.CloseIdleConnections()
		return nil, explain(ctx, "the queue "+name, err)
	}
	return newSubscription(setup, client, o), nil
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*snsTopic) Close() error { return nil }
