package calls

import (
	"encoding/json"
	"fmt"
	"xbot/internal/chat"
	"xbot/internal/pg/dbsqlc"
)

// AddressOf is where a delivery goes.
func AddressOf(o dbsqlc.Outbound) (place chat.Address, err error) {
	if err := json.Unmarshal(o.Place, &place); err != nil {
		return place, fmt.Errorf("read the place of delivery %d: %w", o.ID, err)
	}
	return place, nil
}

// PiecesOf are the messages that a delivery was cut into.
func PiecesOf(o dbsqlc.Outbound) (pieces []chat.Piece, err error) {
	if o.Parts == nil {
		return nil, nil
	}
	if err := json.Unmarshal(o.Parts, &pieces); err != nil {
		return nil, fmt.Errorf("read the pieces of delivery %d: %w", o.ID, err)
	}
	return pieces, nil
}
