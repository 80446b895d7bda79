package calls

import (
	"encoding/json"
	"fmt"
	"xbot/internal/chat"
)

// AddressOf returns the address of a delivery.
func AddressOf(delivery int64, body []byte) (place chat.Address, err error) {
	if err := json.Unmarshal(body, &place); err != nil {
		return place, fmt.Errorf("read the place of delivery %d: %w", delivery, err)
	}
	return place, nil
}

// PiecesOf returns the messages that a delivery was cut into.
func PiecesOf(delivery int64, body []byte) (pieces []chat.Piece, err error) {
	if body == nil {
		return nil, nil
	}
	if err := json.Unmarshal(body, &pieces); err != nil {
		return nil, fmt.Errorf("read the pieces of delivery %d: %w", delivery, err)
	}
	return pieces, nil
}
