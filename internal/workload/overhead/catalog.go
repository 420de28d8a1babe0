package overhead

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/tracing"
)

// Service is what can be measured of a service.
type Service struct {
	Name       string   // in the table, and as an argument
	Aliases    []string // other names that are understood
	Module     string   // of the SDK
	Operations []string
	Creates    string // what its set-up creates, for a person to agree to; "" for nothing
	Leaves     string // what nobody can remove afterwards; "" for nothing
	For        string // the one operation that Creates and Leaves are about; "" for all
	Note       string // what a reader of its figures must know
	Extra      bool   // it is measured only when it is asked for
}

// Catalog lists the services, in the order of the table.
func Catalog() []Service {
	var list []Service
	for _, s := range services() {
		list = append(list, s.Service)
	}
	return list
}

// call makes one call of an operation.
type call func(ctx context.Context) error

// service is a Service, and how it is set up and called.
type service struct {
	Service
	// setUp creates what the operations need, and notes how to remove it again.
	setUp func(ctx context.Context, s *stand) error
	// open makes a client of the SDK that tells t of its spans, and gives its calls in the order of
	// Operations.
	open func(cfg aws.Config, t tracing.TracerProvider, s *stand) []call
}

// index is the place of an operation among those of the service.
func (s *service) index(operation string) int { return slices.Index(s.Operations, operation) }

const sdkModules = "github.com/aws/aws-sdk-go-v2/service/"

func services() []service {
	return append(storageServices(), append(messageServices(), dataServices()...)...)
}

func storageServices() []service {
	return []service{
		{
			Service: Service{
				Name: "S3", Module: sdkModules + "s3", Operations: []string{"HeadObject", "PutObject"},
				Creates: "a bucket with an object of 16 bytes",
			},
			setUp: setUpS3, open: openS3,
		},
		{
			Service: Service{
				Name: "S3Express", Aliases: []string{"S3 Express", "s3-express"}, Module: sdkModules + "s3",
				Operations: []string{"PutObject", "GetObject"},
				Creates:    "a directory bucket with an object of 16 bytes",
			},
			setUp: setUpExpress, open: openExpress,
		},
	}
}

func messageServices() []service {
	return []service{
		{
			Service: Service{
				Name: "SNS", Module: sdkModules + "sns", Operations: []string{"GetTopicAttributes", "Publish"},
				Creates: "a topic without subscribers",
			},
			setUp: setUpSNS, open: openSNS,
		},
		{
			Service: Service{
				Name: "STS", Module: sdkModules + "sts", Operations: []string{"AssumeRole", "GetCallerIdentity"},
				Creates: "a role without permissions (IAM)", For: "AssumeRole",
			},
			setUp: setUpSTS, open: openSTS,
		},
		{
			Service: Service{
				Name: "CloudWatch", Module: sdkModules + "cloudwatch",
				Operations: []string{"GetMetricData", "PutMetricData"},
				Leaves: "one metric in a namespace of its own, which AWS keeps for 15 " +
					"months: metrics cannot be deleted",
				For: "PutMetricData",
			},
			setUp: func(context.Context, *stand) error { return nil }, open: openCloudWatch,
		},
		{
			Service: Service{
				Name: "CloudWatchEvents", Aliases: []string{"EventBridge", "Events", "CloudWatch Events"},
				Module: sdkModules + "eventbridge", Operations: []string{"DescribeEventBus", "PutEvents"},
				Creates: "an event bus without rules",
			},
			setUp: setUpEvents, open: openEvents,
		},
	}
}

// endOfPinpoint is what its figures are worth.
const endOfPinpoint = "AWS ended its support for Pinpoint on 30 October 2026: it can be measured against the " +
	"embedded responder and other servers."

func dataServices() []service {
	return []service{
		{
			Service: Service{
				Name: "DynamoDB", Module: sdkModules + "dynamodb", Operations: []string{"GetItem", "PutItem"},
				Creates: "a table, paid by request, with one item",
			},
			setUp: setUpDynamoDB, open: openDynamoDB,
		},
		{
			Service: Service{
				Name: "Pinpoint", Module: sdkModules + "pinpoint", Operations: []string{"GetEndpoint", "PutEvents"},
				Creates: "an application with one endpoint", Note: endOfPinpoint, Extra: true,
			},
			setUp: setUpPinpoint, open: openPinpoint,
		},
		{
			Service: Service{
				Name: "SecretsManager", Aliases: []string{"Secrets Manager", "Secrets"},
				Module:     sdkModules + "secretsmanager",
				Operations: []string{"GetSecretValue", "PutSecretValue"},
				Creates:    "a secret whose value says that it is none",
			},
			setUp: setUpSecrets, open: openSecrets,
		},
	}
}
