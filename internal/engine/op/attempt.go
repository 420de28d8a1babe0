package op

// Attempt is one try of an operation.
type Attempt struct{}
