package wsproto

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// One is the protocol of a service to which one message is sent, and which answers it: in order, with the only answer,
// or by a selector. Its errors name message and answers as the flags --message and --answers.
func One(message, answers string, o Options) (*Protocol, error) {
	named := "text"
	if begin := strings.TrimSpace(message); strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[") {
		named = "json"
	}
	// What is written as JSON is YAML, too.
	const file = "protocol: 1\ncodec: %s\nmessages: [{name: message, send: %s}]\nreceive: [{answers: %s}]\n"
	const lineOfAnswers = 4
	p, err := Load("message", fmt.Appendf(nil, file, named, written(message), written(answers)), o)
	var wrong *template.Error
	at, why := yamltree.Unplaced(err)
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &wrong):
		return nil, fault.New(fault.Usage, "--message: %w", wrong).Hint("%s", wrong.Hint) // the rest may be secret
	case why != nil && at.Line == lineOfAnswers:
		return nil, fault.New(fault.Usage, "--answers: %w", why).Hint("%s", fault.HintOf(err)).
			Point(answers, 0, len(answers))
	case why != nil:
		return nil, fault.New(fault.Usage, "--message: %w", why).Hint("%s", fault.HintOf(err))
	}
	return nil, fault.New(fault.Usage, "--message: %w", err).Hint("%s", fault.HintOf(err))
}

// written is a text in quotes.
func written(text string) []byte {
	quoted, _ := json.Marshal(text) // a string can always be written
	return quoted
}
