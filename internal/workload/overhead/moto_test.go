package overhead

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// TestForeignServer measures what moto has: not CloudWatch, whose CBOR it does not read, nor
// Pinpoint nor S3 Express.
func TestForeignServer(t *testing.T) {
	address := peertest.Moto(t)
	l := newLab(t, func(p *Plan) { p.Endpoint, p.Calls = address, 5 },
		"S3", "SNS", "STS", "CloudWatchEvents", "DynamoDB", "SecretsManager")
	run, result := l.run(t)
	if run == nil || result.Failure != nil || result.Failed != nil || len(result.Left) > 0 || len(result.Rows) != 12 ||
		result.Null == nil {
		t.Fatalf("%+v", result)
	}
	for _, r := range result.Rows {
		if r.Overhead.N != 5 || r.Failed != 0 {
			t.Errorf("%s/%s: %+v", r.Service, r.Operation, r)
		}
	}
	if left := leftBehind(t, l.work.Remote); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

// TestARoleIsMadeAndRemoved has the requests to IAM, which are written by hand, read by moto.
func TestARoleIsMadeAndRemoved(t *testing.T) {
	address := peertest.Moto(t)
	l := newLab(t, func(p *Plan) { p.Endpoint = address }, "STS")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	remote, err := Connect(t.Context(), t.Context(), &l.plan, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	remote.iamAt = address + "/"
	transport := remote.transport()
	defer transport.CloseIdleConnections()
	s := newStand(remote.patient(guarded{plainClient(transport)}), remote, 10*time.Second)
	s.rename()
	if err := setUpRole(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	get := func() error { return s.iam(t.Context(), url.Values{"Action": {"GetRole"}, "RoleName": {s.name()}}) }
	if err := get(); err != nil || !strings.HasSuffix(s.role, s.name()) {
		t.Errorf("%s is not made: %v", s.role, err)
	}
	if left := s.clear(t.Context()); len(left) > 0 || !missing(get()) {
		t.Errorf("not removed: %v, %v", left, get())
	}
}

// leftBehind is what of ours moto still has.
func leftBehind(t *testing.T, remote *Remote) (names []string) {
	t.Helper()
	transport := remote.transport()
	defer transport.CloseIdleConnections()
	cfg := remote.patient(guarded{plainClient(transport)})
	buckets, err := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }).
		ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range buckets.Buckets {
		names = append(names, *b.Name)
	}
	tables, err := dynamodb.NewFromConfig(cfg).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	topics, err := sns.NewFromConfig(cfg).ListTopics(t.Context(), &sns.ListTopicsInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics.Topics {
		names = append(names, *topic.TopicArn)
	}
	secrets, err := secretsmanager.NewFromConfig(cfg).ListSecrets(t.Context(), &secretsmanager.ListSecretsInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets.SecretList {
		names = append(names, *secret.Name)
	}
	return append(names, tables.TableNames...)
}
