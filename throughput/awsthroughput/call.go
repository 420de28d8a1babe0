package awsthroughput

import (
	"context"

	"github.com/aws/smithy-go/middleware"
)

// A Call is the part of an operation of the SDK that one request is.
type Call struct {
	Service   string // its id, as "S3" or "DynamoDB"
	Operation string // as "PutObject"
	Attempt   int    // of the SDK: 1, or more for a retry
}

type callKey struct{}

// From returns the call in whose context a request was made. It reports false for a request that is
// of no client with the Middleware, as one for the credentials of an instance.
func From(ctx context.Context) (Call, bool) {
	if ctx == nil {
		return Call{}, false
	}
	call, ok := ctx.Value(callKey{}).(Call)
	return call, ok
}

// Middleware puts a Call into the context of each request of an operation:
//
//	cfg.APIOptions = append(cfg.APIOptions, awsthroughput.Middleware)
//
// It does nothing more in a stack that already has it.
func Middleware(stack *middleware.Stack) error {
	if _, has := stack.Initialize.Get(counter{}.ID()); has {
		return nil
	}
	if err := stack.Initialize.Add(counter{}, middleware.Before); err != nil {
		return err
	}
	// All of this step, and nothing of those before, is below the retries, whatever these are called.
	return stack.Deserialize.Add(labeler{}, middleware.Before)
}

type attemptsKey struct{}

// A counter gives an operation a count of its attempts, which follow each other.
type counter struct{}

func (counter) ID() string { return "ThroughputAttempts" }

func (counter) HandleInitialize(
	ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
) (middleware.InitializeOutput, middleware.Metadata, error) {
	return next.HandleInitialize(middleware.WithStackValue(ctx, attemptsKey{}, new(int)), in)
}

// A labeler says in the context of each attempt which it is.
type labeler struct{}

func (labeler) ID() string { return "ThroughputCall" }

func (labeler) HandleDeserialize(
	ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
) (middleware.DeserializeOutput, middleware.Metadata, error) {
	call := Call{Service: middleware.GetServiceID(ctx), Operation: middleware.GetOperationName(ctx), Attempt: 1}
	if attempts, ok := middleware.GetStackValue(ctx, attemptsKey{}).(*int); ok {
		*attempts++
		call.Attempt = *attempts
	}
	return next.HandleDeserialize(context.WithValue(ctx, callKey{}, call), in)
}
