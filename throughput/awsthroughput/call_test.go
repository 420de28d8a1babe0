package awsthroughput

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/smithy-go/middleware"
)

// The SDK itself, with its retries, is used in the module throughputtest. Here a stack has a retry
// of its own, twice, in the step where the SDK has it.
func TestMiddleware(t *testing.T) {
	if call, ok := From(t.Context()); ok || call != (Call{}) {
		t.Errorf("a call of nobody: %+v", call)
	}
	var none context.Context
	if _, ok := From(none); ok {
		t.Error("a call of no context")
	}
	stack := middleware.NewStack("test", func() any { return nil })
	for range 2 {
		if err := Middleware(stack); err != nil {
			t.Fatal(err)
		}
	}
	retry := middleware.FinalizeMiddlewareFunc("Anything", func(ctx context.Context, in middleware.FinalizeInput,
		next middleware.FinalizeHandler) (out middleware.FinalizeOutput, m middleware.Metadata, err error) {
		for range 2 {
			out, m, err = next.HandleFinalize(ctx, in)
		}
		return out, m, err
	})
	if err := stack.Finalize.Add(retry, middleware.After); err != nil {
		t.Fatal(err)
	}
	var got []Call
	h := middleware.DecorateHandler(middleware.HandlerFunc(
		func(ctx context.Context, _ any) (any, middleware.Metadata, error) {
			call, ok := From(ctx)
			if !ok {
				t.Error("no call")
			}
			got = append(got, call)
			return nil, middleware.Metadata{}, nil
		}), stack)
	ctx := middleware.WithOperationName(middleware.WithServiceID(t.Context(), "S3"), "PutObject")
	for range 2 {
		if _, _, err := h.Handle(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	one := []Call{{"S3", "PutObject", 1}, {"S3", "PutObject", 2}}
	if want := append(one, one...); !slices.Equal(want, got) {
		t.Errorf("want %v\ngot  %v", want, got)
	}
}
