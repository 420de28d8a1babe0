//go:build unix

package view

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/saved"
)

// A pipe in place of a document is not waited for, which would hold up all that comes after.
func TestNamedPipeIsNotOpened(t *testing.T) {
	p := newPages(t)
	keep(t, p.Store, made(1, "tea"))
	const id = "20261121T150000.000Z-f1f0"
	if err := os.MkdirAll(p.Store.SetDir(id), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(p.Store.SetDir(id), saved.RunFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 * mostAtOnce {
		for target, want := range map[string]int{
			"/document/" + id: http.StatusNotFound, "/runs/" + id: http.StatusUnprocessableEntity, "/": http.StatusOK,
		} {
			if status, body, _ := get(p, target); status != want {
				t.Errorf("%s: %d, want %d: %.200s", target, status, want, body)
			}
		}
	}
}

// slow is a client that reads nothing until it is let.
type slow struct {
	*httptest.ResponseRecorder
	begun func()
	let   chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	s.begun()
	<-s.let
	return s.ResponseRecorder.Write(b)
}

// Whoever reads slowly has nobody wait.
func TestSlowReaders(t *testing.T) {
	for _, what := range []string{"/document/", "/runs/"} {
		t.Run(what, func(t *testing.T) { readSlowly(t, what) })
	}
}

func readSlowly(t *testing.T, what string) {
	p := newPages(t)
	doc := made(1, "tea")
	keep(t, p.Store, doc)
	let := make(chan struct{})
	var begun, all sync.WaitGroup
	for range 2 * mostAtOnce {
		begun.Add(1)
		all.Go(func() {
			w := &slow{httptest.NewRecorder(), sync.OnceFunc(begun.Done), let}
			p.ServeHTTP(w, httptest.NewRequest("GET", what+doc.ID, nil))
			if w.Code != http.StatusOK || w.Body.Len() == 0 {
				t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
			}
		})
	}
	begun.Wait()
	if status, body, _ := get(p, "/runs/"+doc.ID); status != http.StatusOK {
		t.Errorf("%d %.200s", status, body)
	}
	close(let)
	all.Wait()
}
