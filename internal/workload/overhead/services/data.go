package services

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	table "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/pinpoint"
	channel "github.com/aws/aws-sdk-go-v2/service/pinpoint/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/tracing"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// tableTime bounds the wait for a table, which AWS takes some seconds to make.
const tableTime = 2 * time.Minute

func setUpDynamoDB(ctx context.Context, s *Stand) error {
	c := dynamodb.NewFromConfig(s.cfg)
	s.table = s.name()
	name := s.table
	active := false
	err := s.create(ctx, "CreateTable", "table "+name, func(ctx context.Context) error {
		out, err := c.CreateTable(ctx, &dynamodb.CreateTableInput{
			TableName: &name, BillingMode: table.BillingModePayPerRequest,
			AttributeDefinitions: []table.AttributeDefinition{
				{AttributeName: aws.String("id"), AttributeType: table.ScalarAttributeTypeS},
			},
			KeySchema: []table.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: table.KeyTypeHash}},
		})
		active = err == nil && out.TableDescription != nil &&
			out.TableDescription.TableStatus == table.TableStatusActive
		return err
	}, func(ctx context.Context) error { return deleteTable(ctx, s, c, &name) })
	if err != nil {
		return err
	}
	if !active {
		err := awaitIn(ctx, s, "DescribeTable", tableTime, func(ctx context.Context) error {
			out, err := c.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
			if err == nil && (out.Table == nil || out.Table.TableStatus != table.TableStatusActive) {
				return errAgain
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.do(ctx, "PutItem", func(ctx context.Context) error { return putItem(ctx, c, &name) })
}

// deleteTable deletes a table, once it is there: one that is being made cannot be deleted.
func deleteTable(ctx context.Context, s *Stand, c *dynamodb.Client, name *string) error {
	var err error
	_ = await(ctx, s.pause, func(ctx context.Context) error {
		_, err = c.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name})
		if err != nil && CauseOf(err) == "ResourceInUseException" {
			return err
		}
		return nil
	})
	return err
}

func itemKey() map[string]table.AttributeValue {
	return map[string]table.AttributeValue{"id": &table.AttributeValueMemberS{Value: "item"}}
}

func putItem(ctx context.Context, c *dynamodb.Client, name *string) error {
	item := itemKey()
	item["text"] = &table.AttributeValueMemberS{Value: objectBody}
	out, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: name, Item: item})
	return whole(err, func() bool { return bodiless(out.ResultMetadata) })
}

// bodiless reports whether an answer has no body. DynamoDB's has one, if only "{}": that is the answer of
// PutItem, and of GetItem until what was put is seen everywhere.
func bodiless(answer middleware.Metadata) bool {
	raw, ok := awsmiddleware.GetRawResponse(answer).(*smithyhttp.Response)
	return ok && raw.ContentLength == 0
}

func openDynamoDB(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.TracerProvider = t })
	return []Call{
		func(ctx context.Context) error {
			out, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: itemKey()})
			return whole(err, func() bool { return bodiless(out.ResultMetadata) })
		},
		func(ctx context.Context) error { return putItem(ctx, c, &s.table) },
	}
}

const endpointID = "endpoint"

func setUpPinpoint(ctx context.Context, s *Stand) error {
	c := pinpoint.NewFromConfig(s.cfg)
	name := s.name()
	s.application = ""
	err := s.create(ctx, "CreateApp", "Pinpoint application "+name, func(ctx context.Context) error {
		out, err := c.CreateApp(ctx,
			&pinpoint.CreateAppInput{CreateApplicationRequest: &channel.CreateApplicationRequest{Name: &name}})
		if err == nil && out.ApplicationResponse != nil {
			s.application = aws.ToString(out.ApplicationResponse.Id)
		}
		return err
	}, func(ctx context.Context) error { return deleteApplication(ctx, c, s.application, name) })
	if err != nil {
		return err
	}
	return s.do(ctx, "UpdateEndpoint", func(ctx context.Context) error {
		_, err := c.UpdateEndpoint(ctx, &pinpoint.UpdateEndpointInput{
			ApplicationId: &s.application, EndpointId: aws.String(endpointID),
			EndpointRequest: &channel.EndpointRequest{ChannelType: channel.ChannelTypeCustom,
				Address: aws.String("plimsoll")},
		})
		return err
	})
}

// deleteApplication finds an application by its name when the answer that had its id was lost.
func deleteApplication(ctx context.Context, c *pinpoint.Client, id, name string) error {
	if id == "" {
		out, err := c.GetApps(ctx, &pinpoint.GetAppsInput{})
		if err != nil {
			return err
		}
		if out.ApplicationsResponse == nil {
			return nil
		}
		for _, a := range out.ApplicationsResponse.Item {
			if aws.ToString(a.Name) == name {
				id = aws.ToString(a.Id)
			}
		}
	}
	if id == "" {
		return nil
	}
	_, err := c.DeleteApp(ctx, &pinpoint.DeleteAppInput{ApplicationId: &id})
	return err
}

func openPinpoint(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := pinpoint.NewFromConfig(cfg, func(o *pinpoint.Options) { o.TracerProvider = t })
	now := time.Now().UTC().Format(time.RFC3339)
	return []Call{
		func(ctx context.Context) error {
			out, err := c.GetEndpoint(ctx,
				&pinpoint.GetEndpointInput{ApplicationId: &s.application, EndpointId: aws.String(endpointID)})
			return whole(err, func() bool { return out.EndpointResponse == nil })
		},
		func(ctx context.Context) error {
			out, err := c.PutEvents(ctx, &pinpoint.PutEventsInput{
				ApplicationId: &s.application,
				EventsRequest: &channel.EventsRequest{BatchItem: map[string]channel.EventsBatch{endpointID: {
					Endpoint: &channel.PublicEndpoint{},
					Events:   map[string]channel.Event{"event": {EventType: aws.String("call"), Timestamp: &now}},
				}}},
			})
			return whole(err, func() bool { return out.EventsResponse == nil })
		},
	}
}

// The value of the secret, and the token of its one version: a service that gets both again
// makes no further version, of which it keeps only so many.
const (
	secretValue = "plimsoll: this is not a secret"
	secretToken = "00000000-0000-4000-8000-706c696d736f"
)

func setUpSecrets(ctx context.Context, s *Stand) error {
	c := secretsmanager.NewFromConfig(s.cfg)
	s.secret = s.name()
	name := s.secret
	return s.create(ctx, "CreateSecret", "secret "+name, func(ctx context.Context) error {
		_, err := c.CreateSecret(ctx, &secretsmanager.CreateSecretInput{
			Name: &name, SecretString: aws.String(secretValue), ClientRequestToken: aws.String(secretToken),
		})
		return err
	}, func(ctx context.Context) error {
		_, err := c.DeleteSecret(ctx,
			&secretsmanager.DeleteSecretInput{SecretId: &name, ForceDeleteWithoutRecovery: aws.Bool(true)})
		return err
	})
}

func openSecrets(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) { o.TracerProvider = t })
	return []Call{
		func(ctx context.Context) error {
			out, err := c.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.secret})
			return whole(err, func() bool { return out.SecretString == nil })
		},
		func(ctx context.Context) error {
			out, err := c.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
				SecretId: &s.secret, SecretString: aws.String(secretValue), ClientRequestToken: aws.String(secretToken),
			})
			return whole(err, func() bool { return out.VersionId == nil })
		},
	}
}
