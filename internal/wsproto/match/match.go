package match

// Selector names a part of a message: a field of the codec, or what a JSON pointer (RFC 6901) points at in its body.
type Selector struct {
	Field   int    // number of the codec's field; -1: Pointer
	Pointer string // "" is the whole body
}

// Relation is what must hold of a part.
type Relation uint8

// The relations.
const (
	Equal   Relation = iota // it is a scalar that is written so: a string's contents, else the literal of the body
	Present                 // it is there; a JSON null is there
	Absent                  // it is not there, or is a JSON null
)

// Condition is what must hold of one part of a message.
type Condition struct {
	Of       Selector
	Relation Relation
	Value    string // of Equal
}
