//go:build linux

package exec_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/exec"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// The null client sends a request of the operation that it stands for, as the responder sees it.
func TestNullRequestMatchesOperation(t *testing.T) {
	var written bytes.Buffer
	trace := awstarget.NewTrace(&written)
	cfg := awstarget.Default()
	cfg.Listen, cfg.Observe = "127.0.0.1:0", trace.Observe
	responder, err := awstarget.New(cfg, slog.New(slog.DiscardHandler))
	if err == nil {
		err = responder.Listen(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- responder.Serve(serving) }()
	var want, got []string
	transport := &http.Transport{}
	for _, service := range services.Catalog() {
		for _, operation := range service.Operations {
			like := exec.Exchange{Service: service.Name, Operation: operation, Bytes: 1000}
			name := service.Name + " " + operation
			switch service.Name {
			case "CloudWatchEvents":
				like.Service = awstarget.EventBridge
			case "Pinpoint": // is not imitated
				name = "DynamoDB GetItem"
			}
			want = append(want, name)
			if err := exec.SendNull(t.Context(), transport, responder.URL(), like); err != nil {
				t.Error(err)
			}
		}
	}
	transport.CloseIdleConnections()
	stop()
	if err := errors.Join(<-ended, trace.Flush()); err != nil {
		t.Fatal(err)
	}
	read, err := exec.Read(&written)
	if err != nil {
		t.Fatal(err)
	}
	for i := range read.Exchanges {
		got = append(got, exec.RequestOf(&read.Exchanges[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
