// Command release makes what a release of the modules of this repository consists of, without
// publishing anything: a directory that the go command takes for a module proxy.
//
// It works on a copy of the tracked files. The modules of go.work are taken in the order of their
// requirements: each one's go.mod gets the version of those before it, 'go mod tidy' runs against
// the proxy that holds them already, and the module is added to it. What is a check during
// development and the preparation of a release is the same work:
//
//	release check                 say what 'go mod tidy' would change in each module
//	release tidy                  change it
//	release prepare v0.2.0        the same for a version, with the sums; and the tags to set
//	release proxy v0.2.0 DIR      write the proxy to DIR, for tests
//
// It runs at the root of a clone.
package main
