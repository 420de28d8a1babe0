package plan

import (
	"net/url"
	"strings"
)

// Room is the place in a chat URL where a client puts its room.
const Room = "{room}"

// URLTrouble is what the parser found, without the URL itself. Where a password may have
// been taken for a port, even the finding is kept back.
func URLTrouble(raw string, err error) string {
	if strings.Contains(raw, "@") {
		return "its user name, password or host cannot be read"
	}
	if e, ok := err.(*url.Error); ok {
		return e.Err.Error()
	}
	return err.Error()
}
