package redis

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// What an answer has at most: the library makes room for as many as a server says, and goes as deep.
const (
	longestLine = 64 << 10
	mostMembers = 1 << 16 // of one list
	mostInAll   = 1 << 20 // of all lists
	deepest     = 16      // lists within lists
)

// dialer connects as the library would, and watches what the server sends.
func dialer(o *redis.Options) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		var conn net.Conn
		var err error
		plain := &net.Dialer{Timeout: o.DialTimeout}
		if o.TLSConfig != nil {
			conn, err = (&tls.Dialer{NetDialer: plain, Config: o.TLSConfig}).DialContext(ctx, network, address)
		} else {
			conn, err = plain.DialContext(ctx, network, address)
		}
		if err != nil {
			return nil, err
		}
		return guard(conn), nil
	}
}

// guard watches a connection.
func guard(c net.Conn) net.Conn {
	a := &answer{}
	return &topic.Guard{Conn: c, Longest: longestLine, Line: a.line}
}

// answer is how far one of RESP, the protocol of Redis, has come.
type answer struct {
	lists []int64 // how much of each list is still to come, the outer first
	count int     // of all members
	size  int64   // of all strings
}

// line takes one, and says how many bytes of a string follow.
func (a *answer) line(line []byte) (int64, error) {
	if len(line) == 0 {
		return 0, nil // the library says what is wrong with it
	}
	if a.count++; a.count > mostInAll {
		return 0, topic.Fail(topic.CauseProtocol, false, "the server's response has more than %d members", mostInAll)
	}
	said := line[1:]
	switch line[0] {
	case '$', '=', '!':
		if string(said) == "-1" {
			break
		}
		n, err := topic.Length(said)
		if err != nil {
			return 0, err
		}
		if a.size += n; a.size > topic.MostFollow {
			return 0, topic.Fail(topic.CauseProtocol, false, "the server's response has more than %d bytes", topic.MostFollow)
		}
		a.done()
		return n + 2, nil
	case '*', '%', '~', '>', '|':
		if string(said) == "-1" {
			break
		}
		return 0, a.list(line[0], said)
	}
	a.done()
	return 0, nil
}

// list begins one.
func (a *answer) list(kind byte, said []byte) error {
	n, err := topic.Length(said)
	switch {
	case err != nil:
		return err
	case n > mostMembers || len(a.lists) == deepest:
		return topic.Fail(topic.CauseProtocol, false, "the server's response has more than %d members in a list, or more "+
			"than %d nested lists", mostMembers, deepest)
	}
	if kind == '%' || kind == '|' { // names and values
		n *= 2
	}
	if kind == '|' { // it stands before what it is about
		n++
	}
	if n == 0 {
		a.done()
		return nil
	}
	a.lists = append(a.lists, n)
	return nil
}

// done counts a member as come, and the lists that end with it.
func (a *answer) done() {
	for len(a.lists) > 0 {
		last := len(a.lists) - 1
		if a.lists[last]--; a.lists[last] > 0 {
			return
		}
		a.lists = a.lists[:last]
	}
	a.size, a.count = 0, 0
}
