# Prints the targets of a Makefile in the groups that lines of "##@ NAME" begin, with the text after "##".
BEGIN { FS = ":.*## " }
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z][a-z-]*:.*## / { printf "  make %-16s %s\n", $1, $2 }
