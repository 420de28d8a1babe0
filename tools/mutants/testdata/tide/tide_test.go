package tide

import (
	"testing"
	"time"
)

func TestEnough(t *testing.T) {
	if !Enough(2, 2) || Enough(1.9, 2) || !Enough(2.1, 2) {
		t.Error("draught")
	}
}

func TestOver(t *testing.T) {
	if !Over(1, 2) || Over(2, 1) {
		t.Error("over")
	}
}

func TestSail(t *testing.T) {
	if knots, _ := Sail(12); knots != 6 {
		t.Error(knots)
	}
	if _, err := Sail(0); err == nil {
		t.Error("no error")
	}
}

func TestWait(t *testing.T) {
	if Wait(3) != 0 {
		t.Error("wait")
	}
}

func TestFirst(t *testing.T) {
	if First(1, 2) != 1 || First(2, 1) != 1 {
		t.Error("first")
	}
}

func TestSlack(t *testing.T) {
	if Slack != 20*time.Minute {
		t.Error(Slack)
	}
}

func TestName(t *testing.T) {
	for at, want := range map[string]bool{"harbour": true, "sea": true, "ocean": true, "": false} {
		if name, known := Name(at); known != want || (name == "in the harbour") != (at == "harbour") || name == "" {
			t.Error(at, name, known)
		}
	}
}
