package chat

import "time"

// CardState says what is known of a card.
type CardState string

// The states of cards. Those after shown are its ends.
const (
	CardWaiting CardState = "waiting" // nothing was sent
	CardTried   CardState = "tried"   // handed to the platform; whether it arrived is open
	CardShown   CardState = "shown"
	CardAnswer  CardState = "answer"  // it became the answer
	CardSettled CardState = "settled" // it was taken back, or says how the turn ended
	CardNone    CardState = "none"    // there is none and will be none
)

// Open reports whether the card has no end yet.
func (s CardState) Open() bool { return s == CardWaiting || s == CardTried || s == CardShown }

// Card is the one message on a platform that shows how a turn goes on and becomes its answer.
type Card struct {
	Turn    TurnID
	Session SessionKey
	Channel string
	Account string
	Place   Address
	Nonce   string // 32 hexadecimal digits, the key of its sending
	Message string // as the platform knows it; empty: nobody knows yet
	State   CardState
	Tried   time.Time // first; zero: never
	Made    time.Time
}

// TurnProgress is a turn that is followed, as it stands.
type TurnProgress struct {
	Card
	Turn  Turn // without a state if it was released: the message waits for another one
	Calls []ToolCall
	Todos []Todo
	Waits bool   // something is to be delivered in the session
	Retry *Retry // the model is asked again, and nothing has happened since that was said
}
