package overhead

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// TestMotoServer measures what moto has: not CloudWatch, whose CBOR it does not read, nor
// Pinpoint nor S3 Express.
func TestMotoServer(t *testing.T) {
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

// leftBehind is what of ours moto still has.
func leftBehind(t *testing.T, remote *services.Remote) (names []string) {
	t.Helper()
	transport := remote.Transport()
	defer transport.CloseIdleConnections()
	cfg := remote.Config(services.Guarded{Client: services.PlainClient(transport)}, 1)
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
