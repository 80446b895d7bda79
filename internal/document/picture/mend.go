package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

var signature = []byte("\x89PNG\r\n\x1a\n")

// mend returns a file without faults that browsers accept and the decoders refuse: broken ancillary chunks of PNG, and a missing end of PNG, JPEG
// and GIF. Bytes behind the end are accepted by the decoders.
func mend(file []byte) []byte {
	switch {
	case bytes.HasPrefix(file, signature):
		return mendPNG(file)
	case bytes.HasPrefix(file, []byte{0xff, 0xd8}):
		return append(bytes.Clone(file), 0xff, 0xd9)
	case bytes.HasPrefix(file, []byte("GIF8")):
		return append(bytes.Clone(file), 0, 0x3b)
	}
	return file
}

// mendPNG keeps the critical chunks, and the transparency where it is not broken. The decoder reads no other chunk, but verifies all.
func mendPNG(file []byte) []byte {
	out := append(make([]byte, 0, len(file)+12), signature...)
	for rest := file[len(signature):]; len(rest) >= 12; {
		length := int64(binary.BigEndian.Uint32(rest))
		if length > int64(len(rest)-12) {
			if rest[4]&0x20 == 0 {
				return file // its pixels are incomplete
			}
			break
		}
		chunk, kind := rest[:12+length], string(rest[4:8])
		rest = rest[12+length:]
		whole := crc32.ChecksumIEEE(chunk[4:8+length]) == binary.BigEndian.Uint32(chunk[8+length:])
		if critical := kind[0]&0x20 == 0; critical && kind != "IEND" || kind == "tRNS" && whole {
			out = append(out, chunk...)
		}
		if kind == "IEND" {
			break
		}
	}
	return append(out, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82)
}
