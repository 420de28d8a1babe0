package nats

import (
	"fmt"
	"sync"
)

// lastWords is a log of which only the first fatal error is kept: the library reports in it
// alone why it did not start.
type lastWords struct {
	mu    sync.Mutex
	fatal error
}

func (l *lastWords) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

// Fatalf keeps what the library says before it gives up.
func (l *lastWords) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == nil {
		l.fatal = fmt.Errorf(format, v...)
	}
}

func (*lastWords) Noticef(string, ...any) {}
func (*lastWords) Warnf(string, ...any)   {}
func (*lastWords) Errorf(string, ...any)  {}
func (*lastWords) Debugf(string, ...any)  {}
func (*lastWords) Tracef(string, ...any)  {}
