package services

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/tracing"
)

// Service is what can be measured of a service, and how it is set up and called.
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

	setUp func(ctx context.Context, s *Stand) error // nil: it needs nothing
	open  func(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call
}

// Call makes one call of an operation.
type Call func(ctx context.Context) error

// SetUp creates what the operations need, and notes how to remove it again. Its error is a *Failure, or
// the end of ctx.
func (s *Service) SetUp(ctx context.Context, on *Stand) error {
	if s.setUp == nil {
		return nil
	}
	return s.setUp(ctx, on)
}

// Open makes a client of the SDK that tells t of its spans, and gives its calls in the order of
// Operations.
func (s *Service) Open(cfg aws.Config, t tracing.TracerProvider, on *Stand) []Call {
	return s.open(cfg, t, on)
}

// Index is the place of an operation among those of the service.
func (s *Service) Index(operation string) int { return slices.Index(s.Operations, operation) }

// Catalog lists the services, in the order of the table.
func Catalog() []Service {
	return append(storageServices(), append(messageServices(), dataServices()...)...)
}

const sdkModules = "github.com/aws/aws-sdk-go-v2/service/"

func storageServices() []Service {
	return []Service{
		{
			Name: "S3", Module: sdkModules + "s3", Operations: []string{"HeadObject", "PutObject"},
			Creates: "a bucket with an object of 16 bytes",
			setUp:   setUpS3, open: openS3,
		},
		{
			Name: "S3Express", Aliases: []string{"S3 Express", "s3-express"}, Module: sdkModules + "s3",
			Operations: []string{"PutObject", "GetObject"},
			Creates:    "a directory bucket with an object of 16 bytes",
			setUp:      setUpExpress, open: openExpress,
		},
	}
}

func messageServices() []Service {
	return []Service{
		{
			Name: "SNS", Module: sdkModules + "sns", Operations: []string{"GetTopicAttributes", "Publish"},
			Creates: "a topic without subscribers",
			setUp:   setUpSNS, open: openSNS,
		},
		{
			Name: "STS", Module: sdkModules + "sts", Operations: []string{"AssumeRole", "GetCallerIdentity"},
			Creates: "a role without permissions (IAM)", For: "AssumeRole",
			setUp: setUpSTS, open: openSTS,
		},
		{
			Name: "CloudWatch", Module: sdkModules + "cloudwatch",
			Operations: []string{"GetMetricData", "PutMetricData"},
			Leaves:     "one metric in a separate namespace, which AWS keeps for 15 months because metrics cannot be deleted",
			For:        "PutMetricData",
			open:       openCloudWatch,
		},
		{
			Name: "CloudWatchEvents", Aliases: []string{"EventBridge", "Events", "CloudWatch Events"},
			Module: sdkModules + "eventbridge", Operations: []string{"DescribeEventBus", "PutEvents"},
			Creates: "an event bus without rules",
			setUp:   setUpEvents, open: openEvents,
		},
	}
}

// endOfPinpoint is what its figures are worth.
const endOfPinpoint = "AWS ended support for Pinpoint on 30 October 2026: only the demo server and other servers " +
	"can be measured."

func dataServices() []Service {
	return []Service{
		{
			Name: "DynamoDB", Module: sdkModules + "dynamodb", Operations: []string{"GetItem", "PutItem"},
			Creates: "an on-demand table with one item",
			setUp:   setUpDynamoDB, open: openDynamoDB,
		},
		{
			Name: "Pinpoint", Module: sdkModules + "pinpoint", Operations: []string{"GetEndpoint", "PutEvents"},
			Creates: "an application with one endpoint", Note: endOfPinpoint, Extra: true,
			setUp: setUpPinpoint, open: openPinpoint,
		},
		{
			Name: "SecretsManager", Aliases: []string{"Secrets Manager", "Secrets"},
			Module:     sdkModules + "secretsmanager",
			Operations: []string{"GetSecretValue", "PutSecretValue"},
			Creates:    "a secret with a dummy value",
			setUp:      setUpSecrets, open: openSecrets,
		},
	}
}

// Choose gives the operations that names stand for, each SERVICE/OPERATION, in the order of the
// table and none twice; all of the default table for no name. unknown is the first name that
// stands for nothing, or "".
func Choose(names []string) (chosen []string, unknown string, ok bool) {
	wanted := map[string]bool{}
	for _, name := range names {
		found := operationsOf(name)
		if len(found) == 0 {
			return nil, name, false
		}
		for _, f := range found {
			wanted[f] = true
		}
	}
	for _, s := range Catalog() {
		for _, op := range s.Operations {
			full := s.Name + "/" + op
			if wanted[full] || len(names) == 0 && !s.Extra {
				chosen = append(chosen, full)
			}
		}
	}
	return chosen, "", true
}

// operationsOf gives the operations that a name stands for.
func operationsOf(name string) (found []string) {
	service, op, one := strings.Cut(name, "/")
	for _, s := range Catalog() {
		if !slices.ContainsFunc(append([]string{s.Name}, s.Aliases...),
			func(n string) bool { return strings.EqualFold(n, service) }) {
			continue
		}
		for _, each := range s.Operations {
			if !one || strings.EqualFold(each, op) {
				found = append(found, s.Name+"/"+each)
			}
		}
	}
	return found
}
