package main

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"
)

// reply is what the chat target answers, message what a client sends.
const (
	reply = `{"messageId":"00000000-0000-002a-0000-00000000b1c7","status":"success",` +
		`"serverReceiveTime":"2025-11-21T20:47:00.123456Z","serverSendTime":"2025-11-21T20:47:00.123461Z",` +
		`"originalMessage":` + message + `}`
	message = `{"userId":48213,"username":"user48213","message":"Has anyone seen the notes of the ` +
		`meeting? \u00e9 and \"so\" on.",` +
		`"timestamp":"2025-11-21T20:47:00.122Z","messageType":"TEXT","roomId":"17",` +
		`"messageId":"00000000-0000-002a-0000-00000000b1c7"}`
)

type replyFields struct {
	MessageID string `json:"messageId"`
	Status    string `json:"status"`
}

// clientReaders get (messageId, status) and are sure that the whole is JSON.
func BenchmarkClient(b *testing.B) {
	data := []byte(reply)
	check := func(b *testing.B, id, status int) {
		if id != 36 || status != 7 {
			b.Fatalf("read %d, %d", id, status)
		}
	}
	b.Run("encoding-json-struct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var f replyFields
			if err := stdjson.Unmarshal(data, &f); err != nil {
				b.Fatal(err)
			}
			check(b, len(f.MessageID), len(f.Status))
		}
	})
	b.Run("fastjson-parser", func(b *testing.B) {
		var p fastjson.Parser
		b.ReportAllocs()
		for b.Loop() {
			v, err := p.ParseBytes(data)
			if err != nil {
				b.Fatal(err)
			}
			check(b, len(v.GetStringBytes("messageId")), len(v.GetStringBytes("status")))
		}
	})
	b.Run("fastjson-validate-parser", func(b *testing.B) {
		var p fastjson.Parser
		b.ReportAllocs()
		for b.Loop() {
			if err := fastjson.ValidateBytes(data); err != nil || !utf8.Valid(data) {
				b.Fatal(err)
			}
			v, err := p.ParseBytes(data)
			if err != nil {
				b.Fatal(err)
			}
			check(b, len(v.GetStringBytes("messageId")), len(v.GetStringBytes("status")))
		}
	})
	b.Run("gjson-valid-get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !gjson.ValidBytes(data) || !utf8.Valid(data) {
				b.Fatal("invalid")
			}
			id, status := gjson.GetBytes(data, "messageId"), gjson.GetBytes(data, "status")
			check(b, len(id.Str), len(status.Str))
		}
	})
	b.Run("gjson-valid-foreach", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !gjson.ValidBytes(data) || !utf8.Valid(data) {
				b.Fatal("invalid")
			}
			var id, status int
			gjson.ParseBytes(data).ForEach(func(k, v gjson.Result) bool {
				switch k.Str {
				case "messageId":
					id = len(v.Str)
				case "status":
					status = len(v.Str)
				}
				return true
			})
			check(b, id, status)
		}
	})
	b.Run("jsontext", func(b *testing.B) {
		r := bytes.NewReader(data)
		d := jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true))
		b.ReportAllocs()
		for b.Loop() {
			r.Reset(data)
			d.Reset(r, jsontext.AllowDuplicateNames(true))
			id, status, err := walk(d)
			if err != nil {
				b.Fatal(err)
			}
			check(b, id, status)
		}
	})
	b.Run("jsontext-buffer", func(b *testing.B) {
		d := jsontext.NewDecoder(new(bytes.Buffer), jsontext.AllowDuplicateNames(true))
		b.ReportAllocs()
		for b.Loop() {
			d.Reset(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
			id, status, err := walk(d)
			if err != nil {
				b.Fatal(err)
			}
			check(b, id, status)
		}
	})
	b.Run("scanner", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var id, status int
			ok := scanObject(data, func(key, value []byte) {
				switch string(key) {
				case `"messageId"`:
					id = len(value) - 2
				case `"status"`:
					status = len(value) - 2
				}
			})
			if !ok {
				b.Fatal("invalid")
			}
			check(b, id, status)
		}
	})
}

// walk reads the top level of an object, checking everything below it.
func walk(d *jsontext.Decoder) (id, status int, err error) {
	if _, err = d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = d.ReadValue(); err != nil {
			return
		}
		which := 0
		switch string(name) {
		case `"messageId"`:
			which = 1
		case `"status"`:
			which = 2
		}
		if value, err = d.ReadValue(); err != nil {
			return
		}
		switch which {
		case 1:
			id = len(value) - 2
		case 2:
			status = len(value) - 2
		}
	}
	if _, err = d.ReadToken(); err != nil {
		return
	}
	if _, err = d.ReadToken(); err == io.EOF {
		err = nil
	}
	return
}

type messageFields struct {
	UserID      stdjson.RawMessage `json:"userId"`
	Username    *string            `json:"username"`
	Message     *string            `json:"message"`
	Timestamp   *string            `json:"timestamp"`
	MessageType *string            `json:"messageType"`
	MessageID   *string            `json:"messageId"`
}

// BenchmarkServer gets all fields that the rules are about; the rules cost the same
// everywhere and are left out.
func BenchmarkServer(b *testing.B) {
	data := []byte(message)
	check := func(b *testing.B, n int) {
		if n != 6 {
			b.Fatalf("read %d fields", n)
		}
	}
	b.Run("encoding-json-struct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var f messageFields
			if err := stdjson.Unmarshal(data, &f); err != nil {
				b.Fatal(err)
			}
			if f.MessageID == nil || !utf8.Valid(data) {
				b.Fatal("invalid")
			}
		}
	})
	b.Run("fastjson-validate-parser", func(b *testing.B) {
		var p fastjson.Parser
		b.ReportAllocs()
		for b.Loop() {
			if err := fastjson.ValidateBytes(data); err != nil || !utf8.Valid(data) {
				b.Fatal(err)
			}
			v, err := p.ParseBytes(data)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for _, k := range [...]string{"userId", "username", "message", "timestamp", "messageType", "messageId"} {
				if v.Get(k) != nil {
					n++
				}
			}
			check(b, n)
		}
	})
	b.Run("gjson-valid-foreach", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !gjson.ValidBytes(data) || !utf8.Valid(data) {
				b.Fatal("invalid")
			}
			n := 0
			gjson.ParseBytes(data).ForEach(func(k, v gjson.Result) bool {
				switch k.Str {
				case "userId", "username", "message", "timestamp", "messageType", "messageId":
					n++
				}
				return true
			})
			check(b, n)
		}
	})
	b.Run("jsontext-buffer", func(b *testing.B) {
		d := jsontext.NewDecoder(new(bytes.Buffer), jsontext.AllowDuplicateNames(true))
		b.ReportAllocs()
		for b.Loop() {
			d.Reset(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
			if _, err := d.ReadToken(); err != nil {
				b.Fatal(err)
			}
			n := 0
			for d.PeekKind() != '}' {
				name, err := d.ReadValue()
				if err != nil {
					b.Fatal(err)
				}
				switch string(name) {
				case `"userId"`, `"username"`, `"message"`, `"timestamp"`, `"messageType"`, `"messageId"`:
					n++
				}
				if _, err := d.ReadValue(); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := d.ReadToken(); err != nil {
				b.Fatal(err)
			}
			if _, err := d.ReadToken(); err != io.EOF {
				b.Fatal(err)
			}
			check(b, n)
		}
	})
	b.Run("scanner", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			ok := scanObject(data, func(key, value []byte) {
				switch string(key) {
				case `"userId"`, `"username"`, `"message"`, `"timestamp"`, `"messageType"`, `"messageId"`:
					n++
				}
			})
			if !ok {
				b.Fatal("invalid")
			}
			check(b, n)
		}
	})
}
