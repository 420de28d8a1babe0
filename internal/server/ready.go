package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
)

// ready is the line that a child prints when its server can be used.
type ready struct {
	URL string `json:"url"`
	PID int    `json:"pid"`
	// Broker is the URL of a message service in the same process, with its token: nobody but the
	// parent is told, and the line is the one way.
	Broker string `json:"broker,omitempty"`
}

// TopicVariable is the variable of its environment by which a child is told the URL of its topic: arguments are there
// for everybody on the machine to read, and the URL may have a password or token.
const TopicVariable = "PLIMSOLL_CHILD_TOPIC"

// Announce tells the parent, at the other end of w, that the server answers at this URL, and the
// message service beside it, if there is one, at the other. It writes one line of JSON.
func Announce(w io.Writer, url, broker string) error {
	line, _ := json.Marshal(ready{URL: url, PID: os.Getpid(), Broker: broker}) // texts and a number have a form
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("announce %s: %w", url, err)
	}
	return nil
}

// parseReady reads what Announce wrote.
func parseReady(line []byte) (ready, error) {
	var r ready
	if err := json.Unmarshal(line, &r); err != nil {
		return ready{}, err
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return ready{}, err
	}
	if u.Scheme == "" || u.Host == "" {
		return ready{}, errors.New("it contains no address")
	}
	if r.PID <= 0 {
		return ready{}, errors.New("it contains no process ID")
	}
	return r, nil
}

// ErrParentGone is the cause of the end of a context made by WatchParent.
var ErrParentGone = errors.New("the parent process has exited")

// WatchParent gives a context that ends when stdin does, that is, when the parent closes its
// end of the pipe or dies. What comes in on stdin is thrown away.
//
// The goroutine that reads stdin stays behind when ctx ends first: a read of a pipe that
// nobody writes to cannot be called off. A child calls this once, and leaves after ctx has
// ended, so the goroutine does not outlive anything but the last lines of main.
func WatchParent(ctx context.Context, stdin io.Reader) context.Context {
	watched, cancel := context.WithCancelCause(ctx)
	// goroutine: a read of stdin cannot be called off, as said above.
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // an error tells the same as the end
		cancel(ErrParentGone)
	}()
	return watched
}
