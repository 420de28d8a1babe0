package wsproto

const (
	begin    = "protocol: 1\ncodec: json\n"
	oneOf    = "messages: [{send: '${mark}'}]\n"
	answered = "receive: [{answers: /id}]\n"
)
