package chat

import "github.com/plimsoll/plimsoll/internal/report"

// mixFlags are those of the messages, which a command for less load repeats.
func mixFlags() []report.PlanFlag {
	return []report.PlanFlag{
		{At: "mix.users", Flag: "--users", Default: "100000"},
		{At: "mix.rooms", Flag: "--rooms", Default: "20"},
		{At: "mix.templates", Flag: "--templates", Default: "50"},
		{At: "mix.message_size", Flag: "--message-size"},
		{At: "mix.text_share", Flag: "--text-share", Default: "0.9"},
		{At: "mix.join_share", Flag: "--join-share", Default: "0.05"},
		{At: "mix.leave_share", Flag: "--leave-share", Default: "0.05"},
	}
}
