package codec

// Message is one message of a frame, as the rules of a protocol file look at it. Its slices are the decoder's, or the
// frame's, and hold until the next call.
type Message struct {
	// Fields are the parts that the codec names, by the number that Codec.Field gives; nil where the message has none.
	Fields [][]byte
	// Body is what JSON pointers look into; nil where there is none.
	Body []byte
	// Raw is the whole message.
	Raw []byte
}

// Codec is how a protocol writes its messages into frames. It is safe for concurrent use.
type Codec interface {
	// Name is what a protocol file calls it.
	Name() string
	// Field is the number of a bare field of its messages; the error lists those that there are. Decoders made before
	// a codec that takes any name was asked for one do not know it.
	Field(name string) (int, error)
	// Fields are their names, by number.
	Fields() []string
	// HasBody says that messages may have a body, which JSON pointers look into.
	HasBody() bool
	// Binary says that its messages are sent in binary frames.
	Binary() bool
	// NewDecoder makes what reads the frames of one connection.
	NewDecoder() Decoder
	// Packet is the packet that a mapping of a protocol file describes, of a codec whose messages are not text. The
	// error is an *Error, which says which key is at fault.
	Packet(kind string, keys []string) (Packet, error)
	// End is what is put behind a text that is sent.
	End() string
}

// Decoder reads the frames of one connection. One goroutine uses it.
type Decoder interface {
	// Begin takes the next frame, which must stay as it is until the last call of Next for it.
	Begin(frame []byte)
	// Next reads the next message of the frame into m: false when there is none left. An error comes with true, and is
	// of a message that cannot be read, which is in m.Raw as far as it is known; the ones behind it may yet be.
	Next(m *Message) (bool, error)
}

// Packet writes a message that is not text, from the values of its keys, in the order in which they were given.
type Packet interface {
	Append(b []byte, values [][]byte) ([]byte, error)
}
