// Package othertools knows what users of other load tools type, and what it is called here: commands, flags, and
// values of flags. What a person typed and Plimsoll does not know becomes a hint that can be copied to the command
// line.
//
// It stands beside the flow of data: the command line alone asks it, when it would refuse what was given. The tables
// are made anew for each question; there is no state.
package othertools
