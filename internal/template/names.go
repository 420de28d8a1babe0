package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Known are the names that a template may use besides the places that are always there.
type Known struct {
	Of      Of
	Columns []string // of the table: ${csv.NAME}
	Kept    []string // what clients keep from answers: ${NAME}
	Draws   []Draw   // what is drawn once an operation: ${NAME}
	Env     func(name string) (string, bool)
}

// Of is what a text is of, which decides some of its places.
type Of uint8

// What a text is of.
const (
	OfRequest    Of = iota // a request of HTTP: ${id} is 16 hexadecimal digits
	OfMessage              // a message of WebSocket: its attempts have an ${id} and a ${mark}, and it has a ${room}
	OfConnection           // what a connection of WebSocket is opened with, kept alive and closed: it has a ${room}
	OfDraw                 // a Draw
)

// Draw is a value that is drawn once an operation, wherever its name stands.
type Draw struct {
	Name string
	of   *Template
}

// NewDraw reads what a name stands for. The error is an *Error.
func NewDraw(name, text string, names *Known) (Draw, error) {
	own := Known{Of: OfDraw, Columns: names.Columns, Env: names.Env}
	t, err := compile(text, Raw, &own, fold(name+"="+text)) // so that two of the same text do not draw the same
	return Draw{name, t}, err
}

// segment is the place of the draw in a template.
func (d *Draw) segment() segment {
	s := segment{kind: drawn, of: d.of}
	if one := d.of.segments; len(one) == 1 && one[0].text == "" {
		s = one[0]
	}
	s.name = d.Name
	return s
}

// Columns reports whether it uses a column of the table.
func (d *Draw) Columns() bool { return d.of.Columns() }

// Names are the words that a place may begin with, which nothing that is kept may be called.
func (o Of) Names() []string {
	all := []string{"id", "seq", "client", "now", "uuid", "int", "pick", "text", "csv", "env"}
	if o != OfRequest {
		all = append(all, "mark", "room")
	}
	return all
}

// all are the names of all places, as users write them.
func (n *Known) all() []string {
	var all []string
	for _, d := range n.Draws {
		all = append(all, d.Name)
	}
	all = append(all, n.Kept...)
	for _, name := range n.Of.Names() {
		switch {
		case name == "csv", name == "env":
			name += "."
		case n.Of > OfMessage && (name == "id" || name == "mark"), n.Of == OfConnection && name == "seq",
			n.Of == OfDraw && name == "now":
			continue
		}
		all = append(all, name)
	}
	return all
}

func list(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		if shown[i] = n; strings.HasSuffix(n, ".") {
			shown[i] += "NAME"
		}
	}
	return strings.Join(shown, ", ")
}

// Bounds on how many bits a number that names a message has: below, too few could wait at a time; above, JSON's
// readers round it.
const (
	fewestBits = 8
	mostBits   = 53
)

// ofMessage reads a place that only what goes over WebSocket has.
func (c *compiler) ofMessage(name string, arguments []string) (segment, error) {
	if name == "room" && len(arguments) == 0 {
		return segment{kind: room}, nil
	}
	switch {
	case name == "room" || c.names.Of == OfMessage:
	case c.names.Of == OfDraw:
		return segment{}, fault.New(fault.Usage, "${seq} and ${id} cannot be used here: they differ between attempts").
			Hint("write it in the message itself")
	default:
		return segment{}, fault.New(fault.Usage, "this placeholder can be used only in messages").
			Hint("write a constant here")
	}
	if name != "id" {
		if len(arguments) > 0 {
			return segment{}, fault.New(fault.Usage, "%s takes no arguments", name).Hint("write ${%s}", name)
		}
		return segment{kind: mark}, nil
	}
	var bits uint64
	if len(arguments) > 0 {
		var err error
		bits, err = strconv.ParseUint(arguments[0], 10, 8)
		if err != nil || len(arguments) > 1 || bits < fewestBits || bits > mostBits {
			return segment{}, fault.New(fault.Usage, "id takes a number of bits from %d to %d", fewestBits, mostBits).
				Hint("for example ${id 16} for a number from 1 to 65535, or ${id} for an unlimited one")
		}
	}
	other := slices.IndexFunc(c.t.segments, func(s segment) bool { return s.kind == number64 })
	if other >= 0 && c.t.idBits != uint(bits) {
		return segment{}, fault.New(fault.Usage, "${id} is used with different numbers of bits in one message").
			Hint("use the same number of bits everywhere")
	}
	c.t.idBits = uint(bits)
	return segment{kind: number64}, nil
}
