package sqs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// fakeSNS implements the actions of SNS that this package uses, and forwards messages to a server of SQS.
type fakeSNS struct {
	queues *sqs.Client

	mu   sync.Mutex
	subs map[string][]string // ARNs of queues by the ARN of their topic
}

func startFakeSNS(t *testing.T, queues string) string {
	client := &http.Client{Transport: &http.Transport{}}
	f := &fakeSNS{subs: map[string][]string{}, queues: sqs.New(sqs.Options{
		BaseEndpoint: &queues, Region: "elasticmq", HTTPClient: client,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})}
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.Close()
		client.CloseIdleConnections()
	})
	return s.URL
}

func (f *fakeSNS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action, arn := r.FormValue("Action"), r.FormValue("TopicArn")
	f.mu.Lock()
	defer f.mu.Unlock()
	result := ""
	switch action {
	case "CreateTopic":
		result = "<TopicArn>arn:aws:sns:elasticmq:000000000000:" + r.FormValue("Name") + "</TopicArn>"
	case "Subscribe":
		f.subs[arn] = append(f.subs[arn], r.FormValue("Endpoint"))
		result = "<SubscriptionArn>" + arn + "|" + r.FormValue("Endpoint") + "</SubscriptionArn>"
	case "GetSubscriptionAttributes":
		result = "<Attributes><entry><key>RawMessageDelivery</key><value>true</value></entry></Attributes>"
	case "Unsubscribe":
		from, queue, _ := strings.Cut(r.FormValue("SubscriptionArn"), "|")
		var left []string
		for _, s := range f.subs[from] {
			if s != queue {
				left = append(left, s)
			}
		}
		f.subs[from] = left
	case "Publish":
		for _, queue := range f.subs[arn] {
			name := queue[strings.LastIndex(queue, ":")+1:]
			found, err := f.queues.GetQueueUrl(r.Context(), &sqs.GetQueueUrlInput{QueueName: &name})
			if err == nil {
				_, err = f.queues.SendMessage(r.Context(),
					&sqs.SendMessageInput{QueueUrl: found.QueueUrl, MessageBody: aws.String(r.FormValue("Message"))})
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		result = "<MessageId>1</MessageId>"
	}
	_, _ = fmt.Fprintf(w,
		`<%[1]sResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>`, action, result)
}
