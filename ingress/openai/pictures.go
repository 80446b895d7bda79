package openai

import (
	"errors"
	"net/http"

	"xbot/internal/document/webpicture"
)

// Files returns the pictures of the message: as files, or by their addresses.
func (a Ask) Files() []webpicture.Picture {
	out := make([]webpicture.Picture, len(a.Pictures))
	for i, p := range a.Pictures {
		out[i] = p.Picture
	}
	return out
}

// NotHad names the picture of the request that could not be had; any other err stays.
func (a Ask) NotHad(err error) error {
	if missing, ok := errors.AsType[*webpicture.Error](err); ok {
		return notHad(a.Pictures[missing.Picture].at, missing)
	}
	return err
}

// notHad returns the error of a picture whose address is no good.
func notHad(at string, err error) *Error {
	return &Error{Status: http.StatusBadRequest, Message: err.Error(), Param: at, Code: "invalid_image_url"}
}
