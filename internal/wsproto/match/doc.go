// Package match takes from messages what the rules of a protocol name, and finds the rule that takes a message.
//
// All JSON pointers of a set of rules are one trie, and one pass over a body checks that it is JSON (RFC 8259) and
// takes what they point at. Rules do not change; what a goroutine matches with is its own.
package match
