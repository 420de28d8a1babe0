//go:build !unix

package server

import "os"

// LockFile does nothing: two servers on one directory are for their user to avoid.
func LockFile(*os.File) error { return nil }
