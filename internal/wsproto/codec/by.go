package codec

import (
	"fmt"
	"strings"
)

// Options are what a protocol file says of its codec besides its name.
type Options struct {
	Split  string // stands between the messages of a frame; "": a frame is one message
	Fields string // of text: a regular expression; its named groups are fields, and the one called body is the Body
}

// Error is what is wrong with what a protocol file says of its codec, or of a packet.
type Error struct {
	Key string // which key is at fault: codec, split or fields; of a packet, its kind or one of its keys
	Why string
}

// Error is one line, which names the key.
func (e *Error) Error() string { return e.Key + ": " + e.Why }

// Names lists the codecs that there are.
func Names() []string { return []string{"json", "text", "stomp", "mqtt", "mqtt5", "socketio"} }

// By is the codec of a name. The error is an *Error.
func By(name string, o Options) (Codec, error) {
	if o.Fields != "" && name != "text" {
		return nil, &Error{"fields", "only the text codec accepts fields; the " + name + " codec has its own"}
	}
	switch name {
	case "json":
		return &plain{name: name, split: o.Split}, nil
	case "text":
		return newText(o)
	case "socketio":
		return &socketIO{split: o.Split}, nil
	case "stomp", "mqtt", "mqtt5":
		if o.Split != "" {
			return nil, &Error{"split", "messages of the " + name + " codec are self-delimiting"}
		}
		if name == "stomp" {
			return newStomp(), nil
		}
		return newMQTT(name), nil
	}
	return nil, &Error{"codec", fmt.Sprintf("unknown codec %q; known codecs: %s", name, strings.Join(Names(), ", "))}
}

// noField is the error of a bare field that a codec has not.
func noField(codec, name string, there []string) error {
	if len(there) == 0 {
		return fmt.Errorf("%s: messages of the %s codec have no fields; a JSON pointer starts with /", name, codec)
	}
	return fmt.Errorf("%s: not a field of the %s codec, which has %s", name, codec, strings.Join(there, ", "))
}

// noPacket is the error of a packet where messages are text.
func noPacket(codec, kind string) error {
	return &Error{kind, "messages of the " + codec + " codec are sent as text"}
}
