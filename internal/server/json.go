package server

import (
	"encoding/json"
	"net/http"
)

// AnswerJSON answers with v as JSON.
func AnswerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a failure is the client's, who has left
}
