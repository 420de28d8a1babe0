package wsproto

import (
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

// Send is something that is sent.
type Send struct {
	Text   *template.Template // of a codec whose messages are text, with what must stand behind it
	Packet codec.Packet       // else
	Values []*template.Template
	Source string // as the file has it
}
