package hadoop

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTokens is how many tokens and secrets a file may have.
const maxTokens = 10_000

// ReadTokens reads a Hadoop credentials file, such as HADOOP_TOKEN_FILE_LOCATION names, in
// either of its versions: 0, Writables, and 1, protocol buffers.
func ReadTokens(path string) (*Tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: the file is larger than %d MiB", path, maxFile>>20)
	}
	tokens, err := parseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tokens, nil
}

func parseTokens(data []byte) (*Tokens, error) {
	rest, ok := bytes.CutPrefix(data, []byte("HDTS"))
	if !ok || len(rest) == 0 {
		return nil, fmt.Errorf("not a Hadoop credentials file: it does not start with HDTS")
	}
	d := &decoder{rest: rest[1:]}
	t := &Tokens{}
	switch version := rest[0]; version {
	case 0:
		t.writable(d)
	case 1:
		t.protobuf(d)
	default:
		return nil, fmt.Errorf("the credentials file has the unknown format %d (known: 0 and 1)", version)
	}
	if d.err != nil {
		return nil, fmt.Errorf("the credentials file is damaged: %w", d.err)
	}
	for _, token := range t.Tokens {
		for _, name := range []string{token.Alias, token.Kind, token.Service} {
			if !printable(name) {
				return nil, fmt.Errorf("the credentials file is damaged: the name %.80q contains unprintable characters", name)
			}
		}
	}
	for _, alias := range t.Secrets {
		if !printable(alias) {
			return nil, fmt.Errorf("the credentials file is damaged: the name %.80q contains unprintable characters", alias)
		}
	}
	return t, nil
}

func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) })
}

// writable is Credentials.readFields.
func (t *Tokens) writable(d *decoder) {
	for range d.count() {
		token := Token{Alias: d.text()}
		token.Identifier = d.take(d.vint())
		token.Password = d.take(d.vint())
		token.Kind = d.text()
		token.Service = d.text()
		if d.err != nil {
			return
		}
		t.Tokens = append(t.Tokens, token)
	}
	for range d.count() {
		alias := d.text()
		d.take(d.vint())
		if d.err != nil {
			return
		}
		t.Secrets = append(t.Secrets, alias)
	}
}

// count is how many follow.
func (d *decoder) count() int64 {
	n := d.vint()
	if n < 0 || n > maxTokens {
		d.fail(fmt.Errorf("it declares %d tokens or secrets; at most %d are accepted", n, maxTokens))
		return 0
	}
	return n
}

// protobuf is CredentialsProto of Security.proto, with its length before it.
func (t *Tokens) protobuf(d *decoder) {
	d.rest = d.message()
	d.fields(func(field uint64, value []byte) {
		if len(t.Tokens)+len(t.Secrets) >= maxTokens {
			d.fail(fmt.Errorf("it contains more than %d tokens and secrets", maxTokens))
			return
		}
		switch field {
		case 1:
			t.Tokens = append(t.Tokens, tokenOf(d, value))
		case 2:
			alias, _ := entry(d, value)
			t.Secrets = append(t.Secrets, alias)
		}
	})
}

// entry is CredentialsKVProto: an alias and a token.
func entry(d *decoder, value []byte) (alias string, token []byte) {
	inner := &decoder{rest: value}
	inner.fields(func(field uint64, value []byte) {
		switch field {
		case 1:
			alias = string(value)
		case 2:
			token = value
		}
	})
	if inner.err != nil {
		d.fail(inner.err)
	}
	return alias, token
}

// tokenOf is an entry with its TokenProto.
func tokenOf(d *decoder, value []byte) Token {
	alias, message := entry(d, value)
	token := Token{Alias: alias}
	inner := &decoder{rest: message}
	inner.fields(func(field uint64, value []byte) {
		switch field {
		case 1:
			token.Identifier = value
		case 2:
			token.Password = value
		case 3:
			token.Kind = string(value)
		case 4:
			token.Service = string(value)
		}
	})
	if inner.err != nil {
		d.fail(inner.err)
	}
	return token
}
