// Package cookies keeps the cookies of one client of one service as user agents do (RFC 6265, section 5, and the
// prefixes and limits of its successor, RFC 6265bis). Names and values are sent back byte for byte: quotes, spaces and
// letters outside ASCII are part of a value, although a server must not send them (section 4).
//
// net/http's parser follows the rules for servers: it removes quotes and drops what they do not allow.
package cookies
