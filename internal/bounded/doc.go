// Package bounded is the one rule for clients that ask something beside what is measured, such as credentials, a
// token, what a server is, or the answers of a store that a library reads into memory: how long a connection may take,
// how long the headers of an answer may be, how much of its body is read, that it is not unpacked, and that nobody is
// led to another server. It is pure but for what it wraps; a client may be used by several goroutines.
package bounded
