// Package throughputtest holds the tests of the library throughput that need others' code: the
// examples of docs/throughput.md, the metrics as OpenTelemetry's SDK reads them, the accuracy on
// links of known rate.
//
// It is a module of its own, which nobody imports and which has no version: what a test requires
// would be a requirement of every program that imports the module that the test is in.
package throughputtest
