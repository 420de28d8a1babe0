package store

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestUndo(t *testing.T) {
	const there, strange = "there", "of somebody else"
	broken := Fail("status-500", "broken")
	for _, c := range []struct {
		name    string
		looks   []any // what each look finds
		removed bool
		took    time.Duration
		want    error
	}{
		{"at once", []any{there}, true, 0, nil},
		{"late", []any{Fail(NoFile, "no"), there}, true, lateness, nil},
		{"never", []any{Fail(NoFile, "no"), Fail(NoFile, "no")}, false, lateness, nil},
		{"of another upload", []any{strange, strange}, false, lateness, nil},
		{"not allowed", []any{Fail(AccessDenied, "no")}, false, 0, nil},
		{"no bucket", []any{Fail(NoBucket, "no")}, false, 0, nil},
		{"an error", []any{broken}, false, 0, broken},
		{"an error later", []any{Fail(NoFile, "no"), broken}, false, lateness, broken},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, removed, looks := time.Now(), false, slices.Clone(c.looks)
			err := Undo(t.Context(), func(context.Context) (func(context.Context) error, error) {
				found := looks[0]
				looks = looks[1:]
				switch found := found.(type) {
				case error:
					return nil, found
				case string:
					if found == there {
						return func(context.Context) error { removed = true; return nil }, nil
					}
				}
				return nil, nil
			})
			if !errors.Is(err, c.want) || removed != c.removed || time.Since(began) != c.took || len(looks) != 0 {
				t.Errorf("%s: %v, removed %t, after %v, %d looks left",
					c.name, err, removed, time.Since(began), len(looks))
			}
		})
	}
}
