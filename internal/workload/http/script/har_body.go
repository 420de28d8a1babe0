package script

import (
	"bytes"
	"encoding/base64"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/plimsoll/plimsoll/internal/template"
)

// recordedBody is the body of a request, of the two ways to write it.
type recordedBody struct {
	MimeType any    `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	Params   []struct {
		Name        string `json:"name"`
		Value       string `json:"value"`
		FileName    string `json:"fileName"`
		ContentType string `json:"contentType"`
	} `json:"params"`
}

// Why a body cannot be sent.
const (
	leftFile   = "requests whose uploaded file was not recorded"
	leftCoding = "requests whose body has an unknown encoding"
)

// read returns the body as it was sent and its type; kind is that of the headers, or "". why says that it cannot be
// sent.
func (b *recordedBody) read(kind string) (body, of, why string) {
	if kind == "" {
		kind, _ = b.MimeType.(string)
	}
	switch strings.ToLower(b.Encoding) {
	case "":
	case "base64":
		text := strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.Fields(b.Text), ""))
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		if err != nil {
			return "", "", leftCoding
		}
		return string(raw), kind, ""
	default:
		return "", "", leftCoding
	}
	if b.Text != "" || len(b.Params) == 0 {
		return b.Text, kind, ""
	}
	is, parameters, _ := mime.ParseMediaType(kind)
	files := false
	for _, p := range b.Params {
		files = files || p.FileName != ""
		if p.FileName != "" && (p.Value == "" || strings.HasSuffix(p.Value, "(binary)")) { // as Chromium has it
			return "", "", leftFile
		}
	}
	if files || is == "multipart/form-data" {
		return b.multipart(parameters["boundary"])
	}
	var pairs []string
	for _, p := range b.Params {
		pairs = append(pairs, string(template.Escape([]byte(p.Name), template.Form))+"="+
			string(template.Escape([]byte(p.Value), template.Form)))
	}
	if kind == "" {
		kind = "application/x-www-form-urlencoded"
	}
	return strings.Join(pairs, "&"), kind, ""
}

// multipart writes the entries of a form with files (RFC 7578).
func (b *recordedBody) multipart(boundary string) (body, of, why string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if w.SetBoundary(boundary) != nil { // there is none: the same in each run
		_ = w.SetBoundary("----PlimsollFormBoundary7MA4YWxkTrZu0gW")
	}
	escape := strings.NewReplacer("\\", "\\\\", `"`, "%22", "\r", "%0D", "\n", "%0A").Replace
	for _, p := range b.Params {
		h := textproto.MIMEHeader{}
		disposition := `form-data; name="` + escape(p.Name) + `"`
		if p.FileName != "" {
			disposition += `; filename="` + escape(p.FileName) + `"`
		}
		h.Set("Content-Disposition", disposition)
		if kind := strings.NewReplacer("\r", "", "\n", "").Replace(p.ContentType); kind != "" {
			h.Set("Content-Type", kind)
		} else if p.FileName != "" {
			h.Set("Content-Type", "application/octet-stream")
		}
		part, _ := w.CreatePart(h) // a Buffer takes all
		_, _ = part.Write([]byte(p.Value))
	}
	_ = w.Close()
	return out.String(), "multipart/form-data; boundary=" + w.Boundary(), ""
}
