package fault

import (
	"errors"
	"fmt"
)

// Code is an exit status of the process.
type Code int

// The exit statuses, as users see them in the help and in scripts.
const (
	OK          Code = 0
	RunFailed   Code = 1   // the run itself failed
	Usage       Code = 2   // a flag, an argument or a file is wrong
	Missed      Code = 3   // a threshold was missed
	Untrusted   Code = 4   // the measurement cannot be trusted
	Interrupted Code = 130 // interrupted by a signal; the results were saved
)

// Error is an error with a hint and an exit code.
type Error struct {
	code  Code
	cause error
	hint  string

	picture *picture // nil: it points to no text
}

// New makes an error from a format, as fmt.Errorf does (%w wraps).
func New(code Code, format string, args ...any) *Error {
	return &Error{code: code, cause: fmt.Errorf(format, args...)}
}

// Hint returns a copy of the error that tells its reader what to do next.
func (e *Error) Hint(format string, args ...any) *Error {
	c := *e
	c.hint = fmt.Sprintf(format, args...)
	return &c
}

// Error is the message without the hint.
func (e *Error) Error() string { return e.cause.Error() }

// Unwrap gives the error that was wrapped.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf is the exit code for err: OK for nil, the code of the outermost Error in its
// chain, and RunFailed for an error that carries none.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.code
	}
	return RunFailed
}

// HintOf is the hint of the first error in err's chain that has one, or "".
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.hint != "" {
			return e.hint
		}
		err = e.cause
	}
	return ""
}
