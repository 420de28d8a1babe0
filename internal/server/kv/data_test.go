package kv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
)

func writeData(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// row is a line of CSV.
func row(key, kind string, commit int, value string) string {
	return fmt.Sprintf("%s,%s,%d,%s,string\n", key, kind, commit, value)
}

const columns = "key,mutation_type,logical_commit_time,value,value_type\n"

func valuesOf(t *testing.T, s *Server, keys string) map[string]string {
	t.Helper()
	var got map[string]map[string]struct{ Value string }
	get(t, s, "/v1/getvalues?keys="+keys, &got)
	values := make(map[string]string)
	for key, v := range got["keys"] {
		if v.Value != "" {
			values[key] = v.Value
		}
	}
	return values
}

func TestLoadsFilesInTheOrderOfTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	writeData(t, dir, files.Name(2, files.CSV),
		columns+row("a", "UPDATE", 1, "second")+row("b", "UPDATE", 5, "b2")+row("d", "DELETE", 9, ""))
	writeData(t, dir, files.Name(1, files.CSV),
		columns+row("a", "UPDATE", 1, "first")+row("b", "UPDATE", 6, "b1")+row("d", "UPDATE", 8, "d"))
	writeData(t, dir, "README.txt", "no delta file")
	writeData(t, dir, files.Name(3, files.CSV)+".partial", columns+row("a", "UPDATE", 99, "unfinished"))
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, nil)
		l := newLoader(s, []Data{Directory(dir)})
		s.loader = l
		if err := l.first(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Loading{Files: 2, Of: 2, Rows: 6}, s.Loading()); diff != "" {
			t.Error(diff)
		}
		// At the same commit time the higher number wins; else the commit time counts.
		if diff := cmp.Diff(map[string]string{"a": "second", "b": "b1"}, valuesOf(t, s, "a,b,d")); diff != "" {
			t.Error(diff)
		}
		// A publisher's row wins over a file's at the same time.
		m.publish(message(t, from(1, 0, 0), update("a", "published", 1)))
		synctest.Wait()
		if err := l.scan(t.Context()); err != nil {
			t.Error(err)
		}
		if got := valuesOf(t, s, "a"); got["a"] != "published" {
			t.Errorf("%v", got)
		}
		// A file that comes later, with a lower number, does not win for that.
		writeData(t, dir, files.Name(0, files.CSV),
			columns+row("x", "UPDATE", 1, "x")+row("y", "UPDATE", 1, "y")+row("b", "UPDATE", 6, "late"))
		if err := l.scan(t.Context()); err != nil {
			t.Error(err)
		}
		if got := valuesOf(t, s, "b"); got["b"] != "b1" {
			t.Errorf("%v", got)
		}
		if got := l.state(); got.Files != 3 || got.Applied != 7 || got.Stale != 2 {
			t.Errorf("%+v", got)
		}
	})
}

func TestBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	name := files.Name(1, files.CSV)
	writeData(t, dir, name, columns+row("a", "UPDATE", 1, "1")+"b,NONSENSE,1,x,string\n"+row("c", "UPDATE", 1, "3"))
	writeData(t, dir, files.Name(2, files.Compact), "PLMF\x01\x00\x00\x00\xff\xff\xff")
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, newMemory(), nil)
		l := newLoader(s, []Data{Directory(dir)})
		s.loader = l
		if err := l.first(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"a": "1", "c": "3"}, valuesOf(t, s, "a,b,c")); diff != "" {
			t.Error(diff)
		}
		var h health
		if status := get(t, s, "/health", &h); status != 200 || h.Data.Bad != 1 || len(h.Problems) != 2 {
			t.Fatalf("%d: %+v %+v", status, h, h.Data)
		}
		if !strings.Contains(strings.Join(h.Problems, " "), name+":3: ") {
			t.Errorf("no file and line: %q", h.Problems[0])
		}
		// A file that is made right is loaded again, one that goes away is no problem any more.
		writeData(t, dir, name, columns+row("b", "UPDATE", 2, "right, at last"))
		if err := os.Remove(filepath.Join(dir, files.Name(2, files.Compact))); err != nil {
			t.Fatal(err)
		}
		_ = l.scan(t.Context())
		if got := get(t, s, "/health", &h); got != 200 {
			t.Error(got)
		}
		if got := l.state(); len(got.problems) != 1 || got.Bad != 2 {
			t.Errorf("a comma too many: %+v", got)
		}
		writeData(t, dir, name, columns+row("b", "UPDATE", 2, "right"))
		_ = l.scan(t.Context())
		if got := l.state(); len(got.problems) != 0 {
			t.Errorf("%+v", got)
		}
		if got := valuesOf(t, s, "b"); got["b"] != "right" {
			t.Errorf("%v", got)
		}
	})
}

func TestDataThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, newMemory(), func(c *Config) { c.Memory = 1 << 20 })
		err := newLoader(s, []Data{Directory(filepath.Join(t.TempDir(), "missing"))}).first(t.Context())
		if err == nil || !strings.Contains(err.Error(), "missing") || fault.HintOf(err) == "" {
			t.Errorf("a directory that is not there: %v", err)
		}
		dir := t.TempDir()
		var text strings.Builder
		text.WriteString(columns)
		for n := range 1000 {
			text.WriteString(row(fmt.Sprint("key-", n), "UPDATE", 1, strings.Repeat("x", 3000)))
		}
		writeData(t, dir, files.Name(1, files.CSV), text.String())
		if err := newLoader(s, []Data{Directory(dir)}).first(t.Context()); err == nil ||
			!strings.Contains(fault.HintOf(err), "--memory") {
			t.Errorf("too much data: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := newLoader(s, []Data{Directory(dir)}).first(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// TestWatchesADirectory loads a file that appears long before the next scan.
func TestWatchesADirectory(t *testing.T) {
	dir := t.TempDir()
	m := newMemory()
	cfg := Default()
	cfg.Subscription, cfg.DataScan, cfg.Memory = "test", time.Hour, 1<<26
	s, err := New(cfg, Source{Topic: m, URL: "memory://test", Data: []Data{Directory(dir)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	for n := uint64(1); ; n++ { // the first may come before the watch has begun
		writeData(t, dir, files.Name(n, files.CSV), columns+row("k", "UPDATE", int(n), "v"))
		for range 100 {
			if v, _, ok := s.store.Get(nil, []byte("k")); ok && string(v) == "v" {
				return
			}
			select {
			case <-time.After(5 * time.Millisecond):
			case <-t.Context().Done():
				t.Fatal("the file was not loaded")
			}
		}
	}
}
