package aws

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/pinpoint"
	pintypes "github.com/aws/aws-sdk-go-v2/service/pinpoint/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

// settings are those of the SDK's clients.
func settings(url string, client *http.Client) aws.Config {
	return aws.Config{
		Region: DefaultRegion, BaseEndpoint: aws.String(url), HTTPClient: client,
		Credentials:      credentials.NewStaticCredentialsProvider(DefaultAccessKey, DefaultSecretKey, ""),
		RetryMaxAttempts: 1,
	}
}

// call is an operation of a service and what it must answer: the text of what it says.
type call struct {
	name string // Service/Operation
	do   func(context.Context) (string, error)
	want string
}

// deref gives a pointer's text; a missing one is "".
func deref(s *string) string { return aws.ToString(s) }

func s3Calls(cfg aws.Config) []call {
	c := s3.NewFromConfig(cfg)
	bucket, key := aws.String("plimsoll-bucket"), aws.String("a/key with spaces")
	return []call{
		{"S3/CreateBucket", func(ctx context.Context) (string, error) {
			out, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket,
				CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
					LocationConstraint: s3types.BucketLocationConstraintUsWest2}})
			if err != nil {
				return "", err
			}
			return deref(out.Location), nil
		}, "/plimsoll-bucket"},
		{"S3/HeadBucket", func(ctx context.Context) (string, error) {
			return "", s3.NewBucketExistsWaiter(c).Wait(ctx, &s3.HeadBucketInput{Bucket: bucket}, time.Minute)
		}, ""},
		{"S3/PutObject", func(ctx context.Context) (string, error) {
			out, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("body")})
			if err != nil {
				return "", err
			}
			return deref(out.ETag), nil
		}, `"706c696d736f6c6c63616e6e65643030"`},
		// More than what is kept, and enough for Expect: 100-continue.
		{"S3/PutObject", func(ctx context.Context) (string, error) {
			_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key,
				Body: bytes.NewReader(make([]byte, 5<<20))})
			return "", err
		}, ""},
		{"S3/HeadObject", func(ctx context.Context) (string, error) {
			out, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key})
			if err != nil {
				return "", err
			}
			return out.LastModified.String() + deref(out.ETag), nil
		}, `2026-01-01 00:00:00 +0000 UTC"706c696d736f6c6c63616e6e65643030"`},
		{"S3/DeleteObject", func(ctx context.Context) (string, error) {
			_, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: key})
			return "", err
		}, ""},
		{"S3/DeleteBucket", func(ctx context.Context) (string, error) {
			_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket})
			return "", err
		}, ""},
		{"S3/HeadBucket", func(ctx context.Context) (string, error) {
			return "", s3.NewBucketNotExistsWaiter(c).Wait(ctx, &s3.HeadBucketInput{Bucket: bucket}, time.Minute)
		}, ""},
	}
}

// expressCalls begin with a session, for which the client asks by itself.
func expressCalls(cfg aws.Config) []call {
	c := s3.NewFromConfig(cfg)
	bucket, key := aws.String("plimsoll--usw2-az1--x-s3"), aws.String("key")
	return []call{
		{"S3Express/CreateSession+CreateBucket", func(ctx context.Context) (string, error) {
			_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket,
				CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
					Location: &s3types.LocationInfo{Name: aws.String("usw2-az1"),
						Type: s3types.LocationTypeAvailabilityZone},
					Bucket: &s3types.BucketInfo{DataRedundancy: s3types.DataRedundancySingleAvailabilityZone,
						Type: s3types.BucketTypeDirectory},
				}})
			return "", err
		}, ""},
		{"S3Express/PutObject", func(ctx context.Context) (string, error) {
			_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("body")})
			return "", err
		}, ""},
		{"S3Express/GetObject", func(ctx context.Context) (string, error) {
			out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key})
			if err != nil {
				return "", err
			}
			body, err := io.ReadAll(out.Body) // which compares the checksum
			if err != nil {
				return "", err
			}
			return string(body[:23]), out.Body.Close()
		}, "plimsoll canned object."},
		{"S3Express/DeleteObject", func(ctx context.Context) (string, error) {
			_, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: key})
			return "", err
		}, ""},
		{"S3Express/DeleteBucket", func(ctx context.Context) (string, error) {
			_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket})
			return "", err
		}, ""},
	}
}

func queryCalls(cfg aws.Config) []call {
	c, identity := sns.NewFromConfig(cfg), sts.NewFromConfig(cfg)
	topic := aws.String(topicARN + "t-1")
	return []call{
		{"SNS/CreateTopic", func(ctx context.Context) (string, error) {
			out, err := c.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String("t-1")})
			if err != nil {
				return "", err
			}
			return deref(out.TopicArn), nil
		}, topicARN + "t-1"},
		{"SNS/GetTopicAttributes", func(ctx context.Context) (string, error) {
			out, err := c.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: topic})
			if err != nil {
				return "", err
			}
			return out.Attributes["Owner"], nil
		}, account},
		{"SNS/Publish", func(ctx context.Context) (string, error) {
			out, err := c.Publish(ctx, &sns.PublishInput{TopicArn: topic, Message: aws.String("Action=DeleteTopic&")})
			if err != nil {
				return "", err
			}
			return deref(out.MessageId), nil
		}, RequestID},
		{"SNS/DeleteTopic", func(ctx context.Context) (string, error) {
			_, err := c.DeleteTopic(ctx, &sns.DeleteTopicInput{TopicArn: topic})
			return "", err
		}, ""},
		{"STS/GetCallerIdentity", func(ctx context.Context) (string, error) {
			out, err := identity.GetCallerIdentity(ctx, nil)
			if err != nil {
				return "", err
			}
			return deref(out.Account), nil
		}, account},
		{"STS/AssumeRole", func(ctx context.Context) (string, error) {
			out, err := identity.AssumeRole(ctx,
				&sts.AssumeRoleInput{RoleArn: aws.String("arn:aws:iam::000000000000:role/r"),
					RoleSessionName: aws.String("s")})
			if err != nil {
				return "", err
			}
			return out.Credentials.Expiration.String() + deref(out.Credentials.AccessKeyId), nil
		}, "2099-12-31 23:59:59 +0000 UTCASIAPLIMSOLLCANNED00"},
	}
}

// roleCalls are those of setting up for AssumeRole.
func roleCalls(cfg aws.Config) []call {
	c := iam.NewFromConfig(cfg)
	name := aws.String("plimsoll-role")
	return []call{
		{"IAM/CreateRole", func(ctx context.Context) (string, error) {
			out, err := c.CreateRole(ctx, &iam.CreateRoleInput{RoleName: name,
				AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17"}`)})
			if err != nil {
				return "", err
			}
			r := out.Role
			return strings.Join([]string{deref(r.RoleName), deref(r.Arn), deref(r.Path), deref(r.RoleId),
				r.CreateDate.String()}, " "), nil
		}, "plimsoll-role arn:aws:iam::" + account +
			":role/plimsoll-role / AROAPLIMSOLLCANNED00 2026-01-01 00:00:00 +0000 UTC"},
		{"IAM/DeleteRole", func(ctx context.Context) (string, error) {
			_, err := c.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: name})
			return "", err
		}, ""},
	}
}

func metricCalls(cfg aws.Config) []call {
	c := cloudwatch.NewFromConfig(cfg)
	return []call{
		{"CloudWatch/GetMetricData", func(ctx context.Context) (string, error) {
			out, err := c.GetMetricData(ctx, &cloudwatch.GetMetricDataInput{
				StartTime: aws.Time(time.Unix(newYear, 0)), EndTime: aws.Time(time.Unix(newYear+60, 0)),
				MetricDataQueries: []cwtypes.MetricDataQuery{{Id: aws.String("m1"), Expression: aws.String("1")}},
			})
			if err != nil {
				return "", err
			}
			r := out.MetricDataResults[0]
			return deref(r.Id) + string(r.StatusCode) + r.Timestamps[0].UTC().String(), nil
		}, "m1Complete2026-01-01 00:00:00 +0000 UTC"},
		{"CloudWatch/PutMetricData", func(ctx context.Context) (string, error) {
			_, err := c.PutMetricData(ctx, &cloudwatch.PutMetricDataInput{Namespace: aws.String("n"),
				MetricData: []cwtypes.MetricDatum{{MetricName: aws.String("m"), Value: aws.Float64(1)}}})
			return "", err
		}, ""},
	}
}

func eventCalls(cfg aws.Config) []call {
	c := eventbridge.NewFromConfig(cfg)
	bus := aws.String("bus-1")
	return []call{
		{"EventBridge/CreateEventBus", func(ctx context.Context) (string, error) {
			out, err := c.CreateEventBus(ctx, &eventbridge.CreateEventBusInput{Name: bus})
			if err != nil {
				return "", err
			}
			return deref(out.EventBusArn), nil
		}, busARN + "bus-1"},
		{"EventBridge/DescribeEventBus", func(ctx context.Context) (string, error) {
			out, err := c.DescribeEventBus(ctx, &eventbridge.DescribeEventBusInput{Name: bus})
			if err != nil {
				return "", err
			}
			return deref(out.Name), nil
		}, "plimsoll"},
		{"EventBridge/PutEvents", func(ctx context.Context) (string, error) {
			out, err := c.PutEvents(ctx,
				&eventbridge.PutEventsInput{Entries: []ebtypes.PutEventsRequestEntry{{Source: aws.String("s"),
					Detail: aws.String("{}")}}})
			if err != nil {
				return "", err
			}
			return deref(out.Entries[0].EventId), nil
		}, RequestID},
		{"EventBridge/DeleteEventBus", func(ctx context.Context) (string, error) {
			_, err := c.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: bus})
			return "", err
		}, ""},
	}
}

func tableCalls(cfg aws.Config) []call {
	c := dynamodb.NewFromConfig(cfg)
	name := aws.String("table-1")
	key := map[string]ddbtypes.AttributeValue{"id": &ddbtypes.AttributeValueMemberS{Value: "x"}}
	return []call{
		{"DynamoDB/CreateTable", func(ctx context.Context) (string, error) {
			out, err := c.CreateTable(ctx, &dynamodb.CreateTableInput{
				TableName: name, BillingMode: ddbtypes.BillingModePayPerRequest,
				AttributeDefinitions: []ddbtypes.AttributeDefinition{{AttributeName: aws.String("id"),
					AttributeType: ddbtypes.ScalarAttributeTypeS}},
				KeySchema: []ddbtypes.KeySchemaElement{{AttributeName: aws.String("id"),
					KeyType: ddbtypes.KeyTypeHash}},
			})
			if err != nil {
				return "", err
			}
			return deref(out.TableDescription.TableArn), nil
		}, tableARN + "table-1"},
		{"DynamoDB/DescribeTable", func(ctx context.Context) (string, error) {
			return "", dynamodb.NewTableExistsWaiter(c).
				Wait(ctx, &dynamodb.DescribeTableInput{TableName: name}, time.Minute)
		}, ""},
		{"DynamoDB/PutItem", func(ctx context.Context) (string, error) {
			_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: name, Item: key})
			return "", err
		}, ""},
		{"DynamoDB/GetItem", func(ctx context.Context) (string, error) {
			out, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: name, Key: key})
			if err != nil {
				return "", err
			}
			return out.Item["value"].(*ddbtypes.AttributeValueMemberS).Value, nil
		}, "canned"},
		{"DynamoDB/DeleteTable", func(ctx context.Context) (string, error) {
			_, err := c.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
			return "", err
		}, ""},
		{"DynamoDB/DescribeTable", func(ctx context.Context) (string, error) {
			return "", dynamodb.NewTableNotExistsWaiter(c).
				Wait(ctx, &dynamodb.DescribeTableInput{TableName: name}, time.Minute)
		}, ""},
	}
}

func pinpointCalls(cfg aws.Config) []call {
	c := pinpoint.NewFromConfig(cfg)
	id := aws.String(appID)
	return []call{
		{"Pinpoint/CreateApp", func(ctx context.Context) (string, error) {
			out, err := c.CreateApp(ctx,
				&pinpoint.CreateAppInput{CreateApplicationRequest: &pintypes.CreateApplicationRequest{
					Name: aws.String("app-1")}})
			if err != nil {
				return "", err
			}
			return deref(out.ApplicationResponse.Name) + deref(out.ApplicationResponse.Id), nil
		}, "app-1" + appID},
		{"Pinpoint/UpdateEndpoint", func(ctx context.Context) (string, error) {
			out, err := c.UpdateEndpoint(ctx, &pinpoint.UpdateEndpointInput{ApplicationId: id,
				EndpointId: aws.String("e"), EndpointRequest: &pintypes.EndpointRequest{}})
			if err != nil {
				return "", err
			}
			return deref(out.MessageBody.Message), nil
		}, "Accepted"},
		{"Pinpoint/GetEndpoint", func(ctx context.Context) (string, error) {
			out, err := c.GetEndpoint(ctx, &pinpoint.GetEndpointInput{ApplicationId: id, EndpointId: aws.String("e")})
			if err != nil {
				return "", err
			}
			return string(out.EndpointResponse.ChannelType), nil
		}, "CUSTOM"},
		{"Pinpoint/PutEvents", func(ctx context.Context) (string, error) {
			out, err := c.PutEvents(ctx, &pinpoint.PutEventsInput{ApplicationId: id,
				EventsRequest: &pintypes.EventsRequest{BatchItem: map[string]pintypes.EventsBatch{
					"e": {Endpoint: &pintypes.PublicEndpoint{}, Events: map[string]pintypes.Event{}}}}})
			if err != nil {
				return "", err
			}
			return deref(out.EventsResponse.Results["plimsoll"].EndpointItemResponse.Message), nil
		}, "Accepted"},
		{"Pinpoint/DeleteApp", func(ctx context.Context) (string, error) {
			out, err := c.DeleteApp(ctx, &pinpoint.DeleteAppInput{ApplicationId: id})
			if err != nil {
				return "", err
			}
			return deref(out.ApplicationResponse.Arn), nil
		}, appARN + appID},
	}
}

func secretCalls(cfg aws.Config) []call {
	c := secretsmanager.NewFromConfig(cfg)
	id := aws.String("secret-1")
	return []call{
		{"SecretsManager/CreateSecret", func(ctx context.Context) (string, error) {
			out, err := c.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: id, SecretString: aws.String("x")})
			if err != nil {
				return "", err
			}
			return deref(out.ARN), nil
		}, secretARN + "secret-1-canned"},
		{"SecretsManager/GetSecretValue", func(ctx context.Context) (string, error) {
			out, err := c.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: id})
			if err != nil {
				return "", err
			}
			return deref(out.SecretString), nil
		}, "canned, no secret"},
		{"SecretsManager/PutSecretValue", func(ctx context.Context) (string, error) {
			out, err := c.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{SecretId: id,
				SecretString: aws.String("y")})
			if err != nil {
				return "", err
			}
			return out.VersionStages[0], nil
		}, "AWSCURRENT"},
		{"SecretsManager/DeleteSecret", func(ctx context.Context) (string, error) {
			out, err := c.DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{SecretId: id})
			if err != nil {
				return "", err
			}
			return deref(out.Name), nil
		}, "secret-1"},
	}
}

// The clients of the SDK find what they expect, for every operation, over each transport; and
// the observer is told which operations these were.
func TestSDK(t *testing.T) {
	for name, mode := range map[string]struct{ tls, http2 bool }{"plain": {}, "tls": {tls: true},
		"http2": {tls: true, http2: true}} {
		t.Run(name, func(t *testing.T) {
			server := start(t, func(c *Config) { c.TLS = mode.tls })
			cfg := settings(server.URL(), server.client(mode.http2))
			var want []string
			for _, calls := range [][]call{
				s3Calls(cfg), expressCalls(cfg), queryCalls(cfg), roleCalls(cfg), metricCalls(cfg), eventCalls(cfg),
				tableCalls(cfg), pinpointCalls(cfg), secretCalls(cfg),
			} {
				for _, c := range calls {
					got, err := c.do(t.Context())
					if err != nil || got != c.want {
						t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
					}
					service, operations, _ := strings.Cut(c.name, "/")
					for operation := range strings.SplitSeq(operations, "+") {
						want = append(want, service+"/"+operation)
					}
				}
			}
			var seen []string
			for _, e := range server.exchanges() {
				seen = append(seen, e.Service+"/"+e.Operation)
				protocol := map[bool]string{false: HTTP11, true: HTTP2}[mode.http2]
				if e.Protocol != protocol || !strings.HasPrefix(e.Agent, "aws-sdk-go-v2/") ||
					!strings.Contains(e.Agent, " lang/go") {
					t.Errorf("%s by %q", e.Protocol, e.Agent)
				}
				if e.Received.IsZero() || !e.Sent.After(e.Received) || e.RequestBytes == 0 || e.Conn == 0 {
					t.Errorf("%+v", e)
				}
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the responder does not know, the SDK understands as the service's own error, which
// names the operation.
func TestSDKUnknownOperations(t *testing.T) {
	server := start(t, nil)
	cfg := settings(server.URL(), server.client(false))
	name := aws.String("n")
	for want, do := range map[string]func(context.Context) error{
		"NotImplemented ListObjectsV2": func(ctx context.Context) error {
			_, err := s3.NewFromConfig(cfg).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name})
			return err
		},
		"NotImplemented CopyObject": func(ctx context.Context) error {
			_, err := s3.NewFromConfig(cfg).CopyObject(ctx,
				&s3.CopyObjectInput{Bucket: name, Key: name, CopySource: aws.String("a/b")})
			return err
		},
		"NotImplemented GetObjectTagging": func(ctx context.Context) error {
			_, err := s3.NewFromConfig(cfg).GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: name, Key: name})
			return err
		},
		"NotImplemented GET of an object with ?acl": func(ctx context.Context) error {
			_, err := s3.NewFromConfig(cfg).GetObjectAcl(ctx, &s3.GetObjectAclInput{Bucket: name, Key: name})
			return err
		},
		"InvalidAction ListTopics": func(ctx context.Context) error {
			_, err := sns.NewFromConfig(cfg).ListTopics(ctx, nil)
			return err
		},
		"UnknownOperationException ListMetrics": func(ctx context.Context) error {
			_, err := cloudwatch.NewFromConfig(cfg).ListMetrics(ctx, nil)
			return err
		},
		"UnknownOperationException DynamoDB_20120810.ListTables": func(ctx context.Context) error {
			_, err := dynamodb.NewFromConfig(cfg).ListTables(ctx, nil)
			return err
		},
		"UnknownOperationException AWSEvents.ListRules": func(ctx context.Context) error {
			_, err := eventbridge.NewFromConfig(cfg).ListRules(ctx, nil)
			return err
		},
		"UnknownOperationException secretsmanager.ListSecrets": func(ctx context.Context) error {
			_, err := secretsmanager.NewFromConfig(cfg).ListSecrets(ctx, nil)
			return err
		},
		"NotFoundException GET /v1/apps": func(ctx context.Context) error {
			_, err := pinpoint.NewFromConfig(cfg).GetApps(ctx, &pinpoint.GetAppsInput{})
			return err
		},
	} {
		code, operation, _ := strings.Cut(want, " ")
		err := do(t.Context())
		var api smithy.APIError
		if !errors.As(err, &api) || api.ErrorCode() != code ||
			!strings.HasPrefix(api.ErrorMessage(), "plimsoll serve aws does not implement "+operation+": ") {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, e := range server.exchanges() {
		if e.Operation != "" || e.Status < 400 {
			t.Errorf("%+v", e)
		}
	}
}
