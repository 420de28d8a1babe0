package template

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Error says what is wrong with a template.
type Error struct {
	Text   string // the template
	At, To int    // what of it is wrong, in bytes
	Why    string
	Hint   string // what to do; may be ""
}

// Error returns one line, which quotes the placeholder. The text behind one without an end is not quoted: it may be
// part of a secret.
func (e *Error) Error() string {
	place := e.Text[e.At:e.To]
	if !strings.HasSuffix(place, "}") {
		place = "${…"
	}
	return place + ": " + e.Why
}

// longestText bounds what ${text n} makes.
const longestText = 16 << 20

// Compile reads a template. ${...} is a place, and $${ stands for ${. The error is an *Error.
func Compile(text string, at Place, names *Known) (*Template, error) {
	return compile(text, at, names, fold(drawnFrom(text, at)))
}

// compile reads a template whose places draw by that number.
func compile(text string, at Place, names *Known, drawn uint64) (*Template, error) {
	c := compiler{t: &Template{text: text}, at: at, names: names, next: drawn}
	if err := c.compile(); err != nil {
		return nil, err
	}
	return c.t, nil
}

// compiler compiles one template.
type compiler struct {
	t     *Template
	at    Place
	names *Known
	plain []byte // text since the last value
	next  uint64 // tells apart the places that draw
	url   addressPart
	json  jsonPart
	stomp stompPart
}

// drawnFrom is the part of a text that its draws depend on: those of an address are the same wherever it leads, so that
// the same seed sends the same requests to another host, or to another port of this one.
func drawnFrom(text string, at Place) string {
	if at != URL {
		return text
	}
	_, rest, whole := strings.Cut(text, "://")
	if !whole {
		return text
	}
	return rest[max(0, strings.IndexAny(rest, "/?#")):]
}

// fold makes a number of a text, so that the draws of different templates do not follow each other.
func fold(text string) uint64 {
	h := uint64(len(text))
	for i := range len(text) {
		h = mix(h ^ uint64(text[i]) + golden)
	}
	return h
}

func (c *compiler) compile() error {
	text := c.t.text
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "$${"):
			c.literal("${")
			i += 3
		case strings.HasPrefix(text[i:], "${"):
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return c.wrong(i, len(text), "the placeholder is not closed: a } is missing", "write $${ for a literal ${")
			}
			if err := c.place(i, i+end+1); err != nil {
				return err
			}
			i += end + 1
		default:
			c.literal(text[i : i+1])
			i++
		}
	}
	c.flush(segment{})
	return nil
}

func (c *compiler) wrong(at, to int, why, hint string) error {
	return &Error{Text: c.t.text, At: at, To: to, Why: why, Hint: hint}
}

// literal is text as it is; in an address what cannot stand there as it is is written as it must be.
func (c *compiler) literal(s string) {
	for i := range len(s) {
		if c.at == URL && c.url.part == behind && !plain(s[i], inURLRaw) {
			c.plain = append(c.plain, '%', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		} else {
			c.plain = append(c.plain, s[i])
		}
		c.url.next(s[i])
		c.json.next(s[i])
		if c.at == STOMP && c.stomp.next(s[i]) {
			c.json = jsonPart{}
		}
	}
}

// flush ends a segment.
func (c *compiler) flush(s segment) {
	s.text = string(c.plain)
	c.plain = c.plain[:0]
	if s.text != "" || s.kind != nothing {
		c.t.segments = append(c.t.segments, s)
	}
}

// place reads the place text[from:to].
func (c *compiler) place(from, to int) error {
	fields := strings.Fields(c.t.text[from+2 : to-1])
	if len(fields) == 0 {
		return c.wrong(from, to, "the placeholder is empty", "write a name, for example ${id}, or $${ for a literal ${")
	}
	name, arguments := fields[0], fields[1:]
	if secret, is := strings.CutPrefix(name, "env."); is && len(arguments) == 0 {
		return c.environment(from, to, secret)
	}
	s, why := c.read(name, arguments)
	if why != nil {
		return c.wrong(from, to, why.Error(), fault.HintOf(why))
	}
	if c.at == URL && c.url.part != behind {
		return c.wrong(from, to, "the host cannot contain placeholders",
			"put the placeholder in the path or the query, or use one URL per host")
	}
	if c.next++; s.draw == 0 { // the place of a Draw draws what that does
		s.draw = c.next
	}
	if s.at = c.where(s.raw); s.kind.stands(s.at) {
		s.at = Raw
	}
	if s.kind == pick && s.at != Raw { // each is written once as it must be here, not each time that it is picked
		s.picks = slices.Clone(s.picks)
		for i, p := range s.picks {
			s.picks[i] = string(escape([]byte(p), 0, s.at))
		}
		s.at = Raw
	}
	c.flush(s)
	c.json.value()
	c.stomp.value()
	return nil
}

// where is how a value is escaped that stands here.
func (c *compiler) where(raw bool) Place {
	switch {
	case raw && c.at == URL:
		return inURLRaw
	case raw && c.at != Header:
		return Raw
	case c.at == URL:
		return inURL
	case c.at == JSON && c.json.inString:
		return inString
	case c.at == JSON:
		return bare
	case c.at == STOMP:
		return c.stomp.where(&c.json)
	}
	return c.at
}

// environment puts in the value of a variable, which is the same for the whole run.
func (c *compiler) environment(from, to int, name string) error {
	var value string
	found := false
	if c.names.Env != nil {
		value, found = c.names.Env(name)
	}
	if !found {
		return c.wrong(from, to, "the environment has no variable "+strconv.Quote(name),
			"set it before you start Plimsoll: export "+name+"=…")
	}
	c.t.secret = true
	at := c.where(false)
	if c.at == URL && c.url.part != behind {
		at = Raw // the whole of a base address may be a variable
	}
	c.literal(string(escape([]byte(value), 0, at)))
	return nil
}

// read reads what a place is.
func (c *compiler) read(name string, arguments []string) (segment, error) {
	none := func(k kind) (segment, error) {
		if len(arguments) > 0 {
			return segment{}, fault.New(fault.Usage, "%s takes no arguments", name).Hint("write ${%s}", name)
		}
		return segment{kind: k}, nil
	}
	switch name {
	case "id", "mark", "room", "seq":
		if name == "seq" && c.names.Of != OfConnection {
			break
		}
		if c.names.Of != OfRequest {
			return c.ofMessage(name, arguments)
		}
	case "now":
		if c.names.Of == OfDraw {
			return segment{}, fault.New(fault.Usage, "${now} cannot be used here: it differs between attempts").
				Hint("write ${now} in the message itself")
		}
	}
	switch name {
	case "id":
		return none(id)
	case "seq":
		return none(seq)
	case "client":
		return none(client)
	case "uuid":
		return none(uuid)
	case "now":
		return readTime(arguments)
	case "int":
		return readInt(arguments)
	case "text":
		return readText(arguments)
	case "pick":
		return readPick(strings.Join(arguments, " "))
	}
	s, err := c.named(name)
	if s.raw = len(arguments) == 1 && arguments[0] == "raw"; s.raw || err != nil {
		return s, err
	}
	_, err = none(nothing)
	return s, err
}

// named reads the place of a column or of a kept value.
func (c *compiler) named(name string) (segment, error) {
	if of, is := strings.CutPrefix(name, "csv."); is {
		if i := slices.Index(c.names.Columns, of); i >= 0 {
			return segment{kind: column, which: i}, nil
		}
		if len(c.names.Columns) == 0 {
			wrong := fault.New(fault.Usage, "no CSV file is given for column %q", of)
			if c.names.Of != OfRequest {
				return segment{}, wrong.Hint("add csv: FILE at the top level of the file")
			}
			return segment{}, wrong.Hint("add --data-file FILE")
		}
		return segment{}, fault.New(fault.Usage, "the CSV file has no column %q", of).
			Hint("its columns: %s", strings.Join(c.names.Columns, ", "))
	}
	if i := slices.IndexFunc(c.names.Draws, func(d Draw) bool { return d.Name == name }); i >= 0 {
		c.t.secret = c.t.secret || c.names.Draws[i].of.secret
		return c.names.Draws[i].segment(), nil
	}
	if i := slices.Index(c.names.Kept, name); i >= 0 {
		if !slices.Contains(c.t.kept, i) {
			c.t.kept = append(c.t.kept, i)
		}
		return segment{kind: kept, which: i}, nil
	}
	all := c.names.all()
	err := fault.New(fault.Usage, "unknown placeholder %q", name)
	if near := fault.Nearest(name, all); near != "" {
		return segment{}, err.Hint("did you mean %s? Known placeholders: %s", near, list(all))
	}
	return segment{}, err.Hint("known placeholders: %s", list(all))
}

func readTime(arguments []string) (segment, error) {
	forms := []string{"rfc3339", "unix", "unix_ms", "unix_us", "unix_ns", "http", "rfc3339_us"}
	if len(arguments) == 0 {
		return segment{kind: rfc3339}, nil
	}
	i := slices.Index(forms, arguments[0])
	if i < 0 || len(arguments) > 1 {
		return segment{}, fault.New(fault.Usage, "%q is not a time format", strings.Join(arguments, " ")).
			Hint("known formats: %s", strings.Join(forms, ", "))
	}
	return segment{kind: rfc3339 + kind(i)}, nil
}

func readInt(arguments []string) (segment, error) {
	bad := func() (segment, error) {
		return segment{}, fault.New(fault.Usage, "int takes two numbers, the lowest and the highest").
			Hint("for example ${int 1 1000}")
	}
	if len(arguments) != 2 {
		return bad()
	}
	low, err := strconv.ParseInt(arguments[0], 10, 64)
	high, err2 := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil || err2 != nil {
		return bad()
	}
	if low > high {
		return segment{}, fault.New(fault.Usage, "the lowest number %d is above the highest %d", low, high).
			Hint("write the lower number first")
	}
	return segment{kind: number, low: uint64(low), span: uint64(high) - uint64(low)}, nil
}

func readText(arguments []string) (segment, error) {
	n := int64(-1)
	if len(arguments) == 1 {
		if v, err := strconv.ParseInt(arguments[0], 10, 64); err == nil {
			n = v
		}
	}
	if n < 0 || n > min(longestText, math.MaxInt) {
		return segment{}, fault.New(fault.Usage, "text takes a number of characters, at most %d", longestText).
			Hint("for example ${text 200}")
	}
	return segment{kind: words, length: int(n)}, nil
}

func readPick(choices string) (segment, error) {
	picks := strings.Split(choices, "|")
	if len(picks) < 2 {
		return segment{}, fault.New(fault.Usage, "pick takes values separated by |").
			Hint("for example ${pick red|green|blue}; repeat a value to pick it more often")
	}
	return segment{kind: pick, picks: picks}, nil
}

// Escape makes of a value what may stand at a place.
func Escape(value []byte, at Place) []byte { return escape(slices.Clone(value), 0, at) }

// Written is the text of a template in which everything but its places is escaped for where it stands.
func Written(text string, at Place) (string, error) {
	var b []byte
	for rest := text; rest != ""; {
		from := strings.Index(rest, "${")
		if from < 0 {
			return string(append(b, Escape([]byte(rest), at)...)), nil
		}
		if from > 0 && rest[from-1] == '$' {
			b = append(append(b, Escape([]byte(rest[:from-1]), at)...), Escape([]byte("${"), at)...)
			rest = rest[from+2:]
			continue
		}
		end := strings.IndexByte(rest[from:], '}')
		if end < 0 {
			return "", &Error{Text: text, At: len(text) - len(rest) + from, To: len(text),
				Why: "the placeholder is not closed: a } is missing", Hint: "write $${ for a literal ${"}
		}
		b = append(append(b, Escape([]byte(rest[:from]), at)...), rest[from:from+end+1]...)
		rest = rest[from+end+1:]
	}
	return string(b), nil
}
