package redact

import "fmt"

// hidden replaces what is not shown.
const hidden = "…"

// Size returns what may be shown and stored of a text that is sent, such as the body of a request: its size.
func Size(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%s (%d bytes)", hidden, len(text))
}
