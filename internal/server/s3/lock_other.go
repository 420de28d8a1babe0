//go:build !unix

package s3

import "os"

// lockFile does nothing: two servers on one directory are for their user to avoid.
func lockFile(*os.File) error { return nil }
