package rundoc

// The figures that are held against those of other runs, by the names that Definitions has for them.
const (
	FigureOverhead = "overhead"
	FigureSDKTime  = "sdk_time"
	FigureOwnStart = "own_start"
)

// definitions are the numbers of the figures whose meaning has changed, as this program measures them. A
// figure that has kept its first meaning has the number 1 and is not named. Whoever changes what a figure
// means raises its number here, in the same commit.
func definitions() map[string]int { return nil }

// Definition is the number of what this program means by a figure.
func Definition(figure string) int { return numberOf(definitions(), figure) }

// Definition is the number of what a figure of this document means. Figures of different numbers say
// nothing of each other.
func (r *Run) Definition(figure string) int { return numberOf(r.Definitions, figure) }

func numberOf(of map[string]int, figure string) int {
	if n, named := of[figure]; named {
		return n
	}
	return 1
}
