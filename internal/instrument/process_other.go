//go:build !linux

package instrument

import "time"

// processTime is 0: not known.
func processTime() int64 { return 0 }

func rusage(*snapshot) {}

func affinity() []int { return nil }

func processTimes() time.Duration { return 0 }
