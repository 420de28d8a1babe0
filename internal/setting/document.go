package setting

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MarshalJSON writes the plan document: the settings that have a place in it, and are not left out.
// Members stand in the order in which they were declared.
func (s *Set) MarshalJSON() ([]byte, error) {
	root := &object{}
	for _, one := range s.All() {
		if one.Path == "" {
			continue
		}
		parts := strings.Split(one.Path, ".")
		inside := root
		for _, name := range parts[:len(parts)-1] {
			inside = inside.inner(name)
		}
		if one.absent() {
			continue
		}
		text, err := json.Marshal(one.encode())
		if err != nil {
			return nil, err
		}
		inside.members = append(inside.members, member{name: parts[len(parts)-1], value: text})
	}
	var b bytes.Buffer
	root.write(&b)
	return b.Bytes(), nil
}

// object is an object of JSON whose members keep their order.
type object struct{ members []member }

// member is a value, or an object that is still being made.
type member struct {
	name   string
	value  json.RawMessage
	object *object
}

// inner is the object of that name, made when it is not there.
func (o *object) inner(name string) *object {
	for _, m := range o.members {
		if m.name == name && m.object != nil {
			return m.object
		}
	}
	made := &object{}
	o.members = append(o.members, member{name: name, object: made})
	return made
}

// write writes the members.
func (o *object) write(b *bytes.Buffer) {
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a text always has a form
		b.Write(name)
		b.WriteByte(':')
		if m.object != nil {
			m.object.write(b)
		} else {
			b.Write(m.value)
		}
	}
	b.WriteByte('}')
}
