package wsproto

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// Protocol is what a service speaks. It does not change.
type Protocol struct {
	Name         string             // of the preset, or of the file
	Path         *template.Template // of the address, where that has none, rendered for each connection; nil: none
	Subprotocols []string
	Headers      []Header
	Codec        codec.Codec
	Columns      []string   // of the table
	Rows         [][]string // client n has row n % len(Rows)
	Kept         []string   // names of what is kept from answers, by number
	Open         []Step
	Messages     []Message
	Rules        []Rule
	Close        []Send
	Every        []Beat
	// Secrets are the values of the environment that it uses: neither they nor what a connection keeps may be shown.
	Secrets []string
}

// Header is one of the request that opens a connection.
type Header struct {
	Name  string
	Value *template.Template
}

// Step opens a connection: what is sent, and what must come before the next step.
type Step struct {
	Send    *Send             // nil: nothing
	Expect  []match.Condition // none: nothing is waited for
	Refused []match.Condition // of a message that says no; none: no message does
	Keep    []Keep
	Source  string // as the file has it, for what could not be done
}

// Keep is what is kept from the message that a step expects.
type Keep struct {
	Kept int // number of its name
	Of   match.Selector
}

// Message is a sort of messages that are sent.
type Message struct {
	Name   string
	Weight float64 // above 0
	Send   Send
}

// Rule says what a message that came means. The first rule of which all conditions hold takes it.
type Rule struct {
	When    []match.Condition
	Means   Meaning
	Reply   *Send             // of Reply
	Of      match.Selector    // of Answers: what names the message; of Delivery: its mark
	Refused []match.Condition // of Answers: the answer is a refusal; none: it never is
	Source  string            // as the file has it
}

// Meaning is what a message that came is.
type Meaning uint8

// The meanings.
const (
	Ignored      Meaning = iota // nothing
	Reply                       // something that is answered at once, and counts as no message
	Answers                     // the answer to the message that it names by its id or by its mark
	AnswersOrder                // the answer to the oldest message that waits
	AnswersOnly                 // the answer to the only message that waits
	Delivery                    // a message that somebody sent, with its mark
)

// Beat is what a client sends to say that it is there.
type Beat struct {
	After time.Duration // since the last one, and since the connection was open
	Send  Send
}
