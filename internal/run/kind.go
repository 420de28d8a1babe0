package run

// Help is what a person reads of a kind's command.
type Help struct {
	Use, Short, Long, Example string
	// Most is how many arguments it takes, and Args says which.
	Most int
	Args string
}
