package chat

import (
	"time"
	"unicode/utf8"
)

// rule is something that a message must keep to. Its number is its bit in a ruleSet.
type rule uint8

const (
	ruleFrame rule = iota
	ruleJSON
	ruleObject
	ruleUserID
	ruleUsername
	ruleMessage
	ruleTimestamp
	ruleMessageType
	ruleMessageID
	ruleCount
)

// The limits of the fields; the bounds are allowed values.
const (
	maxUserID   = 100000
	minUsername = 3
	maxUsername = 20
	maxText     = 500
)

// rules says each rule's label in the metrics, what the sender is told when the field is not
// there, and what when it is wrong. A rule without the former is about an optional field or
// none.
var rules = [ruleCount]struct{ label, missing, broken string }{
	ruleFrame:  {"frame", "", "a message must be a text frame, this is a binary one"},
	ruleJSON:   {"json", "", "the message is not JSON"},
	ruleObject: {"object", "", "the message must be a JSON object"},
	ruleUserID: {"userId", "userId is missing",
		"userId must be a whole number from 1 to 100000, as a number or as a string of digits"},
	ruleUsername: {"username", "username is missing",
		"username must be a string of 3 to 20 letters or digits of ASCII"},
	ruleMessage: {"message", "message is missing",
		"message must be a string of 1 to 500 characters"},
	ruleTimestamp: {"timestamp", "timestamp is missing",
		"timestamp must be an ISO-8601 date and time with its zone, such as 2025-01-31T12:00:00Z"},
	ruleMessageType: {"messageType", "messageType is missing",
		"messageType must be TEXT, JOIN or LEAVE"},
	ruleMessageID: {"messageId", "", "messageId must be a string or a number"},
}

// ruleSet is a set of rules.
type ruleSet uint16

func (s ruleSet) has(r rule) bool        { return s&(1<<r) != 0 }
func (s ruleSet) with(r rule) ruleSet    { return s | 1<<r }
func (s ruleSet) without(r rule) ruleSet { return s &^ (1 << r) }

// required are the rules about fields that every message has.
const required ruleSet = 1<<ruleUserID | 1<<ruleUsername | 1<<ruleMessage | 1<<ruleTimestamp | 1<<ruleMessageType

// isUserID reports whether digits, which hold no sign, point or exponent, are a user id.
// Leading zeros are allowed: a string of digits may have them, JSON numbers have none.
func isUserID(digits []byte) bool {
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
		if n = n*10 + int(c-'0'); n > maxUserID {
			return false
		}
	}
	return n >= 1
}

// isUsername takes the letters and digits of ASCII, as the servers do that this one stands in for.
func isUsername(s []byte) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(s) >= minUsername && len(s) <= maxUsername
}

func isText(s []byte) bool {
	if len(s) > maxText*utf8.UTFMax {
		return false
	}
	n := utf8.RuneCount(s)
	return n >= 1 && n <= maxText
}

// isTimestamp reports whether s is an RFC 3339 time, the profile of ISO-8601 that has a date,
// a time and a zone.
func isTimestamp(s []byte) bool {
	var t time.Time
	return t.UnmarshalText(s) == nil
}

// messageType is what a message says it is.
type messageType uint8

const (
	typeInvalid messageType = iota // none of the others, or the message could not be read
	typeText
	typeJoin
	typeLeave
	typeCount
)

var typeLabels = [typeCount]string{"invalid", "text", "join", "leave"}

func parseType(s []byte) messageType {
	switch {
	case equalFold(s, "TEXT"):
		return typeText
	case equalFold(s, "JOIN"):
		return typeJoin
	case equalFold(s, "LEAVE"):
		return typeLeave
	}
	return typeInvalid
}

// equalFold compares s with an upper-case ASCII word in any case. bytes.EqualFold would also
// take the letters that Unicode folds onto ASCII's.
func equalFold(s []byte, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i, c := range s {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
