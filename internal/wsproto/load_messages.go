package wsproto

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// messages reads what is sent.
func (r *reader) messages(root, n *yamltree.Node) error {
	items, err := r.list(n, keyMessages, mostEntries)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		if n == nil {
			n = root
		}
		return r.wrong(n, "the file has no messages").
			Hint("add messages: and below it - {name: NAME, send: TEXT}")
	}
	for i, item := range items {
		m, err := r.message(i, item)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.p.Messages, func(of Message) bool { return of.Name == m.Name }) {
			at := item
			if named := item.Lookup("name"); named != nil {
				at = named
			}
			return r.wrong(at, "two messages are named %q", m.Name).Hint("give each message a different name")
		}
		r.p.Messages = append(r.p.Messages, m)
	}
	return nil
}

// longestName bounds the name of a message: it stands in tables.
const longestName = 60

func (r *reader) message(i int, n *yamltree.Node) (m Message, err error) {
	if err := r.keys(n, "a message", "name", "weight", keySend); err != nil {
		return Message{}, err
	}
	m = Message{Name: "message " + strconv.Itoa(i+1), Weight: 1}
	if at := n.Lookup("name"); at != nil {
		if m.Name, err = r.text(at, "name"); err != nil {
			return Message{}, err
		}
		unprintable := strings.ContainsFunc(m.Name, func(c rune) bool { return !unicode.IsPrint(c) })
		if strings.TrimSpace(m.Name) == "" || unprintable || utf8.RuneCountInString(m.Name) > longestName {
			return Message{}, r.wrong(at, "the name of a message can have at most %d characters", longestName).
				Hint("it is shown in the tables of the report")
		}
	}
	if at := n.Lookup("weight"); at != nil {
		m.Weight, err = strconv.ParseFloat(at.Text, 64)
		if err != nil || !(m.Weight > 0 && m.Weight <= 1e9) {
			return Message{}, r.wrong(at, "%s is not a valid weight", at).
				Hint("use a number above 0; a message with twice the weight is sent twice as often")
		}
	}
	at := n.Lookup(keySend)
	if at == nil {
		return Message{}, r.wrong(n, "message %q has no send", m.Name).Hint("add send: TEXT")
	}
	m.Send, err = r.send(at, keySend, template.OfMessage)
	return m, err
}

// every reads what says that a client is there.
func (r *reader) every(n *yamltree.Node) error {
	items, err := r.list(n, keyEvery, mostEntries)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := r.keys(item, "an entry of every", "after", keySend); err != nil {
			return err
		}
		after, send := item.Lookup("after"), item.Lookup(keySend)
		if after == nil || send == nil {
			return r.wrong(item, "an entry of every needs after and send").Hint("for example - {after: 15s, send: TEXT}")
		}
		d, err := setting.ParseDuration(after.Text)
		if err != nil || d < 10*time.Millisecond || d > 24*time.Hour {
			return r.wrong(after, "%s is not a duration from 10ms to 24h", after).Hint("for example after: 15s")
		}
		s, err := r.send(send, keySend, template.OfConnection)
		if err != nil {
			return err
		}
		r.p.Every = append(r.p.Every, Beat{After: d, Send: s})
	}
	return nil
}

// close reads what is sent before a connection is closed.
func (r *reader) close(n *yamltree.Node) error {
	items, err := r.list(n, keyClose, mostEntries)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := r.keys(item, "an entry of close", keySend); err != nil {
			return err
		}
		at := item.Lookup(keySend)
		if at == nil {
			return r.wrong(item, "an entry of close needs send").Hint("write - send: TEXT")
		}
		s, err := r.send(at, keySend, template.OfConnection)
		if err != nil {
			return err
		}
		r.p.Close = append(r.p.Close, s)
	}
	return nil
}

// send reads what is sent: a text, or a packet of a codec whose messages are no text.
func (r *reader) send(n *yamltree.Node, key string, of template.Of) (s Send, err error) {
	switch {
	case r.p.Codec.Binary() && n.Form == yamltree.Mapping:
		s, err = r.packet(n, key, of)
	case r.p.Codec.Binary():
		return Send{}, r.wrong(n, "%s is %s, but messages of the %s codec are packets", key, n.Form, r.p.Codec.Name()).
			Hint("write {KIND: {KEY: VALUE}}; see docs/ws.md for the kinds and their keys")
	case n.Form != yamltree.Text:
		return Send{}, r.wrong(n, "%s is %s, but messages of the %s codec are strings", key, n.Form, r.p.Codec.Name()).
			Hint("quote strings that contain {, [ or :, for example %s: '{\"id\":\"${mark}\"}'", key)
	default:
		var t *template.Template
		if t, err = r.template(n, key, r.place(n.Text), of); err == nil {
			s = TextOf(t, r.end+r.p.Codec.End(), n.Text)
		}
	}
	if err != nil {
		return Send{}, err
	}
	least := 0
	for _, t := range s.templates() {
		least += t.Least()
	}
	if least > mostMessage {
		return Send{}, r.wrong(n, "the message has at least %d bytes; the maximum is 1 MiB", least).
			Hint("send a smaller message")
	}
	return s, nil
}

// place is how values are escaped that stand in a text of the codec.
func (r *reader) place(text string) template.Place {
	switch r.p.Codec.Name() {
	case "json", "socketio":
		return template.JSON
	case "stomp":
		return template.STOMP
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return template.JSON
	}
	return template.Raw
}

// template compiles a value.
func (r *reader) template(n *yamltree.Node, key string, at template.Place, of template.Of) (*template.Template, error) {
	text, err := r.text(n, key)
	if err != nil {
		return nil, err
	}
	known := r.known(of)
	t, err := template.Compile(text, at, known)
	if err != nil {
		return nil, r.ofTemplate(n, err, false)
	}
	for _, k := range t.Kept() {
		if !r.kept[k] {
			name := r.p.Kept[k]
			at := yamltree.Find(r.data, n.At, "${"+name, 0)
			return nil, yamltree.Misread(r.name, at, "${%s} is used before a step of open sets it", name).
				Hint("put the step with keep: {%s: …} first", name)
		}
	}
	r.use(t)
	return t, nil
}

// use notes what a template uses.
func (r *reader) use(t *template.Template) {
	r.columns = r.columns || t.Columns()
	for i := range r.draws {
		r.drawn[i] = r.drawn[i] || t.UsesDraw(r.draws[i].Name)
	}
}

// packet reads a packet: its kind, and below it its keys.
func (r *reader) packet(n *yamltree.Node, key string, of template.Of) (s Send, err error) {
	if len(n.Entries) != 1 {
		return Send{}, r.wrong(n, "%s has %d packets; only one is allowed", key, len(n.Entries)).
			Hint("write {KIND: {KEY: VALUE}}")
	}
	kind := n.Entries[0]
	if kind.Value.Form != yamltree.Mapping && kind.Value.Form != yamltree.Nothing {
		return Send{}, r.wrong(kind.Value, "%s must be a mapping of the packet's keys, not %s", kind.Key, kind.Value.Form).
			Hint("write {%s: {KEY: VALUE}}, or {} if it has no keys", kind.Key)
	}
	if len(kind.Value.Entries) > mostKeys {
		return Send{}, r.wrong(kind.Value, "a packet has at most %d keys", mostKeys).Hint("remove some")
	}
	var keys []string
	var values []*template.Template
	for _, e := range kind.Value.Entries {
		t, err := r.template(e.Value, e.Key, r.place(e.Value.Text), of)
		if err != nil {
			return Send{}, err
		}
		keys, values = append(keys, e.Key), append(values, t)
	}
	p, err := r.p.Codec.Packet(kind.Key, keys)
	if err != nil {
		return Send{}, r.ofKeys(append(slices.Clone(n.Entries), kind.Value.Entries...), n, err)
	}
	s = PacketOf(p, values, n.String())
	return s, r.tryPacket(&s, n, kind.Value, keys)
}

// tryPacket makes a packet, so that what is wrong with its values is found before the run: with the largest number, and
// the first row of the table.
func (r *reader) tryPacket(s *Send, n, packet *yamltree.Node, keys []string) error {
	bits := s.IDBits()
	if bits == 0 {
		bits = 53
	}
	v := template.Values{ID: 1<<bits - 1, Room: 1, Mark: []byte("mark")}
	if len(r.p.Rows) > 0 {
		v.Row = r.p.Rows[0]
	}
	_, err := s.Tail(nil, &v)
	if err == nil {
		return nil
	}
	wrong := r.ofCodec(packet, n, err)
	var of *codec.Error
	if !errors.As(err, &of) {
		return wrong
	}
	switch i := slices.Index(keys, of.Key); {
	case i < 0:
		return wrong.Hint("add %s: VALUE", of.Key)
	case len(s.Values[i].Kept()) > 0:
		return nil // nobody knows it yet
	case s.Values[i].UsesID() && s.IDBits() != 16:
		return wrong.Hint("write ${id 16}")
	}
	return wrong
}

// ofKeys places what a codec finds wrong with the kind of a packet or with its keys.
func (r *reader) ofKeys(keys []*yamltree.Entry, n *yamltree.Node, err error) error {
	var of *codec.Error
	if errors.As(err, &of) {
		for _, e := range keys {
			if e.Key == of.Key {
				return yamltree.Misread(r.name, e.At, "%w", of).Hint("see docs/ws.md for the kinds of packets and their keys")
			}
		}
	}
	return r.ofCodec(n, n, err)
}
