// Package services is what of AWS can be called: the catalog of services and their operations, the
// server that stands for AWS and how requests to it are signed, what has to be created before the
// operations can be called and is removed afterwards, and what a failure is called.
//
// It stands below the workload overhead, which times the calls; nothing here stamps an operation. A
// Remote may be used by many goroutines at once, and so may the calls that Open gives, each for its own
// client; a Stand is set up and cleared by one goroutine at a time.
package services
