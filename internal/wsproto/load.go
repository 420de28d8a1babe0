package wsproto

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/table"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// sort is what errors say of protocol files.
func sort() *yamltree.Sort {
	return &yamltree.Sort{
		Name: "protocol file", Begin: "start it with protocol: 1, or from a copy of a preset",
		Shared:  "repeat the value where it is needed",
		Several: "a file describes one protocol",
	}
}

// MaxSize bounds a file of a protocol.
const MaxSize = yamltree.MaxSize

// Options are what a protocol file may refer to.
type Options struct {
	Env  func(name string) (string, bool)
	Open func(name string) (io.ReadCloser, error) // opens the table that it names
	// Table is one that was given, instead of that which the file names.
	Table string
}

// Bounds on a file.
const (
	mostRules   = 64
	mostEntries = 64 // of each other list
	mostMessage = 1 << 20
)

// The keys of a file.
const (
	keyProtocol     = "protocol"
	keyPath         = "path"
	keySubprotocols = "subprotocols"
	keyHeaders      = "headers"
	keyCodec        = "codec"
	keySplit        = "split"
	keyFields       = "fields"
	keyEnd          = "end"
	keyTable        = "csv"
	keyDraw         = "draw"
	keyOpen         = "open"
	keyMessages     = "messages"
	keyReceive      = "receive"
	keyEvery        = "every"
	keyClose        = "close"
	keySend         = "send"
)

// Load reads a protocol file, as YAML or as JSON, which is YAML:
//
//	protocol: 1
//	path: /socket.io/?EIO=4              # of the address, where that has none
//	subprotocols: []                     # of the request that opens a connection, as the headers
//	headers: {Authorization: "Bearer ${env.TOKEN}"}
//	codec: socketio                      # json | text | stomp | mqtt | mqtt5 | socketio
//	split: "\x1e"                        # stands between the messages of a frame
//	end: "\x1e"                          # is put behind each text that is sent
//	fields: '^(?P<type>\w+) (?P<body>.*)$'   # of the codec text: what parts of a message are called
//	csv: users.csv                       # ${csv.NAME} is a column of it; client n has row n
//	draw: {user: "${int 1 1000}"}        # ${user} is drawn once a message
//	open:                                # one after the other, before any message
//	  - send: '40{"token":"${csv.token}"}'
//	    expect: {type: "40"}             # what must come before the next step
//	    refused: {type: "44"}            # what says no, which is asked first
//	    keep: {sid: /sid}                # ${sid} in what follows
//	messages:
//	  - {name: msg, weight: 9, send: '42${id}["msg",{"id":"${mark}"}]'}
//	receive:                             # the first rule of which all conditions hold takes a message
//	  - {when: {type: "2"}, reply: "3"}
//	  - {when: {type: "43"}, answers: ack, refused: {/0/error: "*"}}   # or order, or only
//	  - {when: {type: "42", /0: msg}, delivery: /1/id}
//	  - {when: {type: "0"}, ignore: true}
//	every: [{after: 15s, send: "2"}]
//	close: [{send: "41"}]
//
// Conditions and what is kept name a part of a message by a JSON pointer (RFC 6901), or by the bare name of a field of
// the codec. A condition's value is compared as it is written; "*" is there, null is not.
//
// Each error names the place, and shows it.
func Load(name string, data []byte, o Options) (*Protocol, error) {
	base := filepath.Base(name)
	r := &reader{
		name: name, data: data, options: o, p: &Protocol{Name: strings.TrimSuffix(base, filepath.Ext(base))},
	}
	if o.Env != nil {
		r.options.Env = func(name string) (string, bool) {
			value, found := o.Env(name)
			if found {
				r.p.Secrets = append(r.p.Secrets, value)
			}
			return value, found
		}
	}
	root, err := sort().Parse(name, data)
	if err == nil {
		err = r.read(root)
	}
	if err != nil {
		return nil, yamltree.Point(err, data)
	}
	return r.p, nil
}

// reader makes a protocol of a tree.
type reader struct {
	name    string
	data    []byte
	options Options
	p       *Protocol
	draws   []template.Draw
	kept    []bool // of Protocol.Kept: a step before this one keeps it
	end     string
	tableAt *yamltree.Node
	columns bool // one is used
	drawn   []bool
}

func (r *reader) wrong(n *yamltree.Node, format string, args ...any) *fault.Error {
	return yamltree.Misread(r.name, n.At, format, args...)
}

func (r *reader) read(root *yamltree.Node) error {
	if root.Form != yamltree.Mapping {
		return r.wrong(root, "the file contains %s, but must contain a mapping", root.Form).Hint("%s", sort().Begin)
	}
	if err := r.keys(root, "a protocol file", keyProtocol, keyPath, keySubprotocols, keyHeaders, keyCodec, keySplit,
		keyFields, keyEnd, keyTable, keyDraw, keyOpen, keyMessages, keyReceive, keyEvery, keyClose); err != nil {
		return err
	}
	if err := r.version(root); err != nil {
		return err
	}
	for _, part := range []struct {
		key  string
		read func(n *yamltree.Node) error // nil: it is not there
	}{
		{keyCodec, func(n *yamltree.Node) error { return r.codec(root, n) }},
		{keyTable, r.table},
		{keyDraw, r.draw},
		{keyPath, r.path},
		{keySubprotocols, r.subprotocols},
		{keyHeaders, r.headers},
		{keyOpen, r.open},
		{keyMessages, func(n *yamltree.Node) error { return r.messages(root, n) }},
		{keyReceive, func(n *yamltree.Node) error { return r.rules(root, n) }},
		{keyEvery, r.every},
		{keyClose, r.close},
	} {
		if err := part.read(root.Lookup(part.key)); err != nil {
			return err
		}
	}
	return r.check(root)
}

func (r *reader) version(root *yamltree.Node) error {
	n := root.Lookup(keyProtocol)
	if n == nil {
		return r.wrong(root, "the file has no version").Hint("start the file with protocol: 1")
	}
	if n.Form != yamltree.Text || n.Text != "1" {
		return r.wrong(n, "%s is not a supported version", n).Hint("write protocol: 1")
	}
	return nil
}

// codec finds the codec, with what the file says of it elsewhere.
func (r *reader) codec(root, n *yamltree.Node) error {
	if n == nil {
		return r.wrong(root, "the file has no codec").Hint("add codec: with one of %s", strings.Join(codec.Names(), ", "))
	}
	name, err := r.text(n, keyCodec)
	if err != nil {
		return err
	}
	if !slices.Contains(codec.Names(), name) {
		return r.unknown(n.At, name, "codec", codec.Names())
	}
	var o codec.Options
	for key, into := range map[string]*string{keySplit: &o.Split, keyFields: &o.Fields, keyEnd: &r.end} {
		at := root.Lookup(key)
		if at == nil {
			continue
		}
		if *into, err = r.text(at, key); err != nil {
			return err
		}
		if *into == "" {
			return r.wrong(at, "%s is empty", key).Hint("remove the key")
		}
	}
	r.p.Codec, err = codec.By(name, o)
	if err != nil {
		return r.ofCodec(root, n, err)
	}
	if at := root.Lookup(keyEnd); at != nil && r.p.Codec.Binary() {
		return r.wrong(at, "end is not allowed: packets of the %s codec are self-delimiting", name).Hint("remove it")
	}
	return nil
}

// ofCodec places what a codec finds wrong: at the value of the key that is at fault, below in, or else at n.
func (r *reader) ofCodec(in, n *yamltree.Node, err error) *fault.Error {
	const hint = "see docs/ws.md for what each codec accepts"
	var wrong *codec.Error
	if errors.As(err, &wrong) {
		if at := in.Lookup(wrong.Key); at != nil {
			return r.wrong(at, "%w", wrong).Hint(hint)
		}
	}
	return r.wrong(n, "%w", err).Hint(hint)
}

// table reads the table that the file names.
func (r *reader) table(n *yamltree.Node) error {
	if r.options.Table != "" {
		return r.givenTable(n)
	}
	if n == nil {
		return nil
	}
	name, err := r.text(n, keyTable)
	if err != nil {
		return err
	}
	if r.options.Open == nil {
		return r.wrong(n, "files cannot be read here").Hint("remove csv")
	}
	f, err := r.options.Open(name)
	if err != nil {
		return r.wrong(n, "%w", err).
			Hint("%s", cmp.Or(fault.HintOf(err), "relative names are resolved from the current directory"))
	}
	defer func() { _ = f.Close() }()
	r.tableAt = n
	r.p.Columns, r.p.Rows, err = table.Read(name, f)
	return err
}

// givenTable reads the table that stands in for that of the file.
func (r *reader) givenTable(n *yamltree.Node) error {
	f, err := r.options.Open(r.options.Table)
	if err != nil {
		return fault.New(fault.Usage, "--data-file: %w", err).
			Hint("%s", cmp.Or(fault.HintOf(err), "give the name of a readable CSV file"))
	}
	defer func() { _ = f.Close() }()
	r.tableAt = n
	r.p.Columns, r.p.Rows, err = table.Read(r.options.Table, f)
	return err
}

// draw reads what is drawn once a message.
func (r *reader) draw(n *yamltree.Node) error {
	if n == nil {
		return nil
	}
	if n.Form != yamltree.Mapping {
		return r.wrong(n, "draw must be a mapping of names to values, not %s", n.Form).
			Hint("for example draw: {user: \"${int 1 1000}\"}")
	}
	if len(n.Entries) > mostEntries {
		return r.wrong(n, "draw has more than %d values", mostEntries).Hint("remove some")
	}
	for _, e := range n.Entries {
		if err := r.isName(e); err != nil {
			return err
		}
		text, err := r.text(e.Value, e.Key)
		if err != nil {
			return err
		}
		d, err := template.NewDraw(e.Key, text, r.known(template.OfDraw))
		if err != nil {
			return r.ofTemplate(e.Value, err, false)
		}
		r.draws = append(r.draws, d)
	}
	r.drawn = make([]bool, len(r.draws))
	return nil
}

// known are the names that a text may use.
func (r *reader) known(of template.Of) *template.Known {
	k := &template.Known{Of: of, Columns: r.p.Columns, Env: r.options.Env}
	switch of {
	case template.OfMessage:
		k.Kept, k.Draws = r.p.Kept, r.draws
	case template.OfConnection:
		k.Kept = r.p.Kept
	}
	return k
}
