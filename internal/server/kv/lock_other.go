//go:build !unix

package kv

import "os"

// lock does nothing: two servers on one directory are for their user to avoid.
func lock(*os.File) error { return nil }
