package op

import "errors"

// Failure is why an attempt failed.
type Failure struct {
	Cause   string // a word of the report: timeout, refused, closed-by-peer:1006, …
	Final   bool   // trying again is pointless: the target understood, and said no
	Timeout bool   // no answer came in time
	Err     error  // what the program said of it; may be nil
	// GoesOn says that the attempt is not over: its connection is lost, and it goes on on a new one. It counts as one
	// attempt, and the connecting is in the operation's time.
	GoesOn bool
}

// Error is the cause, and what is known beyond it.
func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Cause
	}
	return f.Cause + ": " + f.Err.Error()
}

// Unwrap gives the error behind the failure.
func (f *Failure) Unwrap() error { return f.Err }

// Own is a timeout that is the generator's doing and not the target's: it did not run, and says nothing else anew.
func (f *Failure) Own() *Failure {
	own := *f
	own.Cause = ErrOwnTimeout.Cause
	return &own
}

// AsFailure finds the Failure in err's chain; an error without one is a failure of unknown
// cause ("other").
func AsFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Cause: "other", Err: err}
}
