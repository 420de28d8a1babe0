// Package content is what the files of a bandwidth run hold: it makes it, compares what was read with it, and knows
// again a file that an earlier run wrote. It knows neither stores nor times. Patterns and Files are not changed once
// they are made, and may be used by several goroutines.
package content
