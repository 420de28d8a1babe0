package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// threeBatches are messages of different lengths.
func threeBatches(t *testing.T) (messages [][]byte) {
	t.Helper()
	for n, size := range []int{0, 3, 130} {
		row := update(fmt.Sprint("k", n), strings.Repeat("v", size), 1)
		messages = append(messages, message(t, from(9, 0, uint64(n)), row))
	}
	return messages
}

// earlier is a journal as earlier versions wrote it.
func earlier(messages ...[]byte) (b []byte) {
	for _, m := range messages {
		b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
	}
	return b
}

func current(messages ...[]byte) []byte {
	b := []byte(journalMagic)
	for _, m := range messages {
		b = appendRecord(b, m)
	}
	return b
}

// opened opens a journal of this content, and gives what it had and what was left of it.
func opened(t *testing.T, dir string, content []byte) (got [][]byte, left []byte, err error) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, journalName), content, 0o644); err != nil {
		t.Fatal(err)
	}
	return reopened(t, dir)
}

func reopened(t *testing.T, dir string) (got [][]byte, left []byte, err error) {
	t.Helper()
	j, _, err := openJournal(dir, false, func(m []byte) error {
		_, _, err := delta.Decode(m, nil)
		if err == nil {
			got = append(got, bytes.Clone(m))
		}
		return err
	})
	if err == nil {
		_ = j.close()
	}
	left, cannot := os.ReadFile(filepath.Join(dir, journalName))
	if cannot != nil {
		t.Fatal(cannot)
	}
	return got, left, err
}

// TestEarlierJournal: a journal of an earlier version goes on in the format of this one.
func TestEarlierJournal(t *testing.T) {
	dir, messages := t.TempDir(), threeBatches(t)
	torn := append(earlier(messages[:2]...), 0xa0, 1, 'P', 'L')
	if err := os.WriteFile(filepath.Join(dir, journalName), torn, 0o644); err != nil {
		t.Fatal(err)
	}
	j, cut, batches := reopen(t, dir)
	if cut != 4 || batches != 2 {
		t.Errorf("%d batches, %d bytes cut off", batches, cut)
	}
	for range 2 {
		if err := j.append([]*work{{payload: messages[2]}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	want := append(earlier(messages[:2]...), current(messages[2], messages[2])...)
	if left, err := os.ReadFile(j.file.Name()); err != nil || !bytes.Equal(left, want) {
		t.Errorf("the journal is %q, want %q, %v", left, want, err)
	}
	j, cut, batches = reopen(t, dir)
	if cut != 0 || batches != 4 {
		t.Errorf("%d batches, %d bytes cut off", batches, cut)
	}
	_ = j.close()
}

// TestJournalEndingInZeros: a machine that crashed may leave zeros where the last batches were not written.
func TestJournalEndingInZeros(t *testing.T) {
	dir, messages := t.TempDir(), threeBatches(t)
	for name, write := range map[string]func(...[]byte) []byte{"current": current, "earlier": earlier} {
		kept, whole := write(messages[:2]...), write(messages...)
		for end := len(kept); end < len(whole)-messageEnd; end++ {
			content := append(bytes.Clone(whole[:end]), make([]byte, len(whole)-end+100)...)
			got, left, err := opened(t, dir, content)
			if err != nil || len(got) != 2 || !bytes.Equal(left, kept) {
				t.Errorf("%s, zeros from %d on: %d batches, %d of %d bytes: %v", name, end, len(got), len(left),
					len(kept), err)
			}
		}
	}
}
