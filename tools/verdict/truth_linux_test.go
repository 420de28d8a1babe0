package main

import (
	"bytes"
	"testing"
)

// masked is a text frame as a client sends it.
func masked(text string) []byte {
	head := []byte{0x81, 0x80 | byte(len(text))}
	if len(text) > 125 {
		head = []byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text))}
	}
	mask := []byte{1, 2, 3, 4}
	data := append(head, mask...)
	for i := range len(text) {
		data = append(data, text[i]^mask[i%4])
	}
	return data
}

func TestFrame(t *testing.T) {
	for _, text := range []string{"", "short", string(bytes.Repeat([]byte("long"), 100))} {
		whole := masked(text)
		for cut := range len(whole) {
			if _, _, size := frame(whole[:cut]); size != 0 {
				t.Fatalf("%d of %d bytes are a frame", cut, len(whole))
			}
		}
		payload, opcode, size := frame(append(whole, masked("next")...))
		if string(payload) != text || opcode != 1 || size != len(whole) {
			t.Errorf("%q of opcode %d and %d bytes, want %q and %d", payload, opcode, size, text, len(whole))
		}
	}
}

func TestIndexOf(t *testing.T) {
	id := messageID([]byte(`{"userId":"1","messageId":"1f09c3ab-20815-12.44","timestamp":""}`))
	if n, ok := indexOf(id); n != 20815 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
	if _, ok := indexOf(messageID([]byte(`{}`))); ok {
		t.Error("there is an index where there is none")
	}
}

func TestGCPercent(t *testing.T) {
	trace := "gc 1 @0.1s 2%: 0.007+1.9 ms\nserving\ngc 630 @5.752s 32%: 0.004+6.7+0.002 ms clock\n"
	if got := gcPercent(trace); got != 32 {
		t.Errorf("%v", got)
	}
	if got := gcPercent("nothing"); got != 0 {
		t.Errorf("%v", got)
	}
}
