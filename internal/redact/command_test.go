package redact_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/redact"
)

func TestCommand(t *testing.T) {
	for line, want := range map[string]string{
		"python3 loop.py":                                           "python3 loop.py",
		"/opt/venv/bin/python3 ./loop.py":                           "/opt/venv/bin/python3 ./loop.py",
		"python3 loop.py --token abc --n 3":                         "python3 loop.py --token … --n …",
		"python3 loop.py --token=abc --n=3":                         "python3 loop.py --token=… --n=…",
		"SECRET=abc DB_PASS=def X=1 run -v":                         "SECRET=… DB_PASS=… X=… run -v",
		"export API_KEY='a b c'; run it":                            "export …",
		"KEY='a b c' run it":                                        "KEY=…",
		`PASSWORD=hun\ ter2 run it`:                                 "PASSWORD=…",
		"TOKEN=$(echo hunter2) run it":                              "TOKEN=…",
		`curl -H "Authorization: Bearer abc" http://h/p`:            "curl -H …",
		"curl -uuser:pw -ppw -u me:pw --pass pw":                    "curl … -u … --pass …",
		"run http://me:hush@h/p?sig=hush --url=https://me:hush@h/p": "run … --url=…",
		"printf 'pw' | run.sh":                                      "printf … run.sh",
		"java -jar loop.jar a b":                                    "java … loop.jar …",
		"'my program' a":                                            "…",
	} {
		if got := redact.Command(line); got != want {
			t.Errorf("%s\n is %s\nwant %s", line, got, want)
		}
	}
	for _, hostile := range []string{"", " ", "=", "-", "--token", "://", "'", "a=://", ":::", "\x00=\xff"} {
		_ = redact.Command(hostile)
	}
}
