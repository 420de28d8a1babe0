package files

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/klauspost/compress/snappy"
)

// avroText is a text in Avro's encoding.
func avroText(s string) string { return string(binary.AppendVarint(nil, int64(len(s)))) + s }

// avroBlockOf is a block with so many records, as it says.
func avroBlockOf(count int64, data string) string {
	return string(binary.AppendVarint(nil, count)) + avroText(data) + avroSync
}

// TestUnpackingIsBounded may have 64 MiB and no more, and have to be what was packed.
func TestUnpackingIsBounded(t *testing.T) {
	var mib, end bytes.Buffer
	w, err := flate.NewWriter(&mib, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(make([]byte, 1<<20)) // into memory, as what follows
	_ = w.Flush()
	w.Reset(&end)
	_ = w.Close()
	w.Reset(io.Discard)
	var one bytes.Buffer
	w.Reset(&one)
	_, _ = w.Write([]byte("x"))
	_ = w.Close()
	whole := bytes.Repeat(mib.Bytes(), MaxBlock>>20)
	out, err := inflate(append(bytes.Clone(whole), end.Bytes()...))
	if err != nil || len(out) != MaxBlock {
		t.Errorf("64 MiB: %d bytes, %v", len(out), err)
	}
	if _, err := inflate(append(bytes.Clone(whole), one.Bytes()...)); err != errUnpacked {
		t.Errorf("a byte more: %v", err)
	}
	packed := snappy.Encode(nil, []byte("abcabcabcabcabcabcabc"))
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("abcabcabcabcabcabcabc")))
	size := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) + "1234" }
	for block, want := range map[string]string{string(packed) + string(sum): "abcabcabcabcabcabcabc",
		"\x00\x00\x00\x00\x00":  "",
		"":                      "error: the compressed data is damaged",
		"\x00\x00\x00":          "error: the compressed data is damaged",
		"\x00\x00\x00\x00":      "error: the compressed data is damaged",
		string(packed) + "1234": "error: the compressed data is damaged",
		"\x04" + string(packed[1:]) + string(sum): "error: the compressed data is damaged",
		size(MaxBlock):     "error: the compressed data is damaged",
		size(MaxBlock + 1): "error: its decompressed size exceeds 64 MiB",
	} {
		out, err := unsnap([]byte(block))
		got := string(out)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want || err != nil && out != nil {
			t.Errorf("%q: %s, want %s", block, got, want)
		}
	}
}
