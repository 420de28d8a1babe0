// Package hadoop reads what people who come from Hadoop already have: configuration files
// (core-site.xml), single settings (-D key=value) and credentials files with their tokens.
// It knows formats, not meanings: the stores look up the settings that mean something to
// them, and what nobody looked up can be named as ignored.
//
// It stands before the run, between the command line and the stores. Settings and Tokens may
// be used by several goroutines at the same time.
package hadoop
