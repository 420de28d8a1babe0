package kafka

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// TestCausesOfConnections: a connection that dies is one that was closed, also when the library
// has a word of its own for it; only what nobody knows is a fault of the protocol.
func TestCausesOfConnections(t *testing.T) {
	for _, c := range []struct {
		err   error
		cause string
	}{
		{io.EOF, topic.CauseClosed},
		{syscall.EPIPE, topic.CauseClosed},
		{syscall.ECONNREFUSED, topic.CauseRefused},
		{os.ErrDeadlineExceeded, topic.CauseTimeout},
		// the library tries again on a new connection
		{os.NewSyscallError("write", syscall.ENETRESET), topic.CauseClosed},
		{errors.New("no sense in this"), topic.CauseProtocol},
	} {
		err := fmt.Errorf("produce: %w", c.err)
		if cause, final := causeOf(err); cause != c.cause || final {
			t.Errorf("%v: %s (final: %t), want %s; the library tries again: %t",
				err, cause, final, c.cause, kgo.IsRetryableBrokerErr(err))
		}
	}
}
