// Package glossary says what the words of reports and of the help mean, in a line or two each, for 'plimsoll help
// words'.
//
// It stands beside the flow of data and the command line alone asks it. A test holds it to the titles of sections and
// the keys of answers that the golden reports have, so that a report has no word that is not explained. There is no
// state.
package glossary
