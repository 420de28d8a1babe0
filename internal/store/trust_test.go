package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrust(t *testing.T) {
	if c, _, err := Trust("", false); c != nil || err != nil {
		t.Errorf("%v, %v; want the system's", c, err)
	}
	if c, _, err := Trust("", true); err != nil || !c.InsecureSkipVerify {
		t.Errorf("%v, %v; want any", c, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "holds no certificate", empty + "-none": "no such file"} {
		_, _, err := Trust(file, false)
		var known *Error
		if !errors.As(err, &known) || !strings.Contains(err.Error(), want) || known.Hint == "" {
			t.Errorf("%s: %v; want %q and a hint", filepath.Base(file), err, want)
		}
	}
}
