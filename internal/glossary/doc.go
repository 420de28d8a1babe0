// Package glossary explains the words of reports and help texts for 'plimsoll help glossary'.
//
// Only the command line uses it. A test checks that it has every section title and every key of the golden reports.
package glossary
