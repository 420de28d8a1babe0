package exec

import (
	"context"
	"net/http"
)

// RequestOf is requestOf.
func RequestOf(e *Exchange) string { return requestOf(e) }

// SendNull sends what stands for a request.
func SendNull(ctx context.Context, transport *http.Transport, url string, like Exchange) error {
	return nullShape(like).send(ctx, transport, url)
}
