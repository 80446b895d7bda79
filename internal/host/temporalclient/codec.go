package temporalclient

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"

	"xbot/internal/fault"
)

// Metadata of an encrypted payload.
const (
	encodingEncrypted = "binary/encrypted"
	metadataKeyID     = "encryption-key-id"
)

// payloadKeyBytes is the size of a key of payloads: AES-256.
const payloadKeyBytes = 32

// PayloadKey encrypts payloads.
type PayloadKey struct {
	ID   string
	Data []byte
}

// NewPayloadKey makes a random key.
func NewPayloadKey() PayloadKey {
	raw := make([]byte, payloadKeyBytes+8)
	rand.Read(raw) // never fails
	return PayloadKey{ID: hex.EncodeToString(raw[payloadKeyBytes:]), Data: raw[:payloadKeyBytes]}
}

// Codec encrypts what goes into Temporal's histories with AES-256-GCM, and decrypts what comes from there. What was written
// without encryption is read as it is. It is safe for concurrent use.
type Codec struct {
	encrypts bool
	source   KeySource

	mu   sync.Mutex
	keys []PayloadKey // the first encrypts
}

var _ converter.PayloadCodec = (*Codec)(nil)

// KeySource reads the keys of payloads, that which encrypts first.
type KeySource interface {
	PayloadKeys() ([]PayloadKey, error)
}

// NewCodec makes a codec. Its source is asked again for a key that is not known. A codec that does not encrypt still decrypts.
func NewCodec(encrypts bool, source KeySource) (*Codec, error) {
	c := &Codec{encrypts: encrypts, source: source}
	var err error
	if c.keys, err = source.PayloadKeys(); err != nil {
		return nil, err
	}
	if encrypts && len(c.keys) == 0 {
		return nil, fault.Errorf(fault.Internal, "there is no key to encrypt payloads with")
	}
	return c, nil
}

// Encode encrypts payloads, unless the codec only decrypts. A payload that is encrypted stays as it is.
func (c *Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if !c.encrypts {
		return payloads, nil
	}
	c.mu.Lock()
	key := c.keys[0]
	c.mu.Unlock()
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) == encodingEncrypted {
			out[i] = p
			continue
		}
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encode a payload: %w", err)
		}
		sealed, err := seal(key, plain)
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encodingEncrypted), metadataKeyID: []byte(key.ID)},
			Data:     sealed,
		}
	}
	return out, nil
}

// Decode decrypts payloads.
func (c *Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encodingEncrypted {
			out[i] = p
			continue
		}
		key, err := c.key(string(p.GetMetadata()[metadataKeyID]))
		if err != nil {
			return nil, err
		}
		plain, err := open(key, p.GetData())
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, fault.Errorf(fault.Invalid, "a payload of Temporal is damaged")
		}
	}
	return out, nil
}

// key finds a key, also one that another process made since this one started.
func (c *Codec) key(id string) (PayloadKey, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 2 {
		for _, k := range c.keys {
			if k.ID == id {
				return k, nil
			}
		}
		now, err := c.source.PayloadKeys()
		if err != nil {
			return PayloadKey{}, err
		}
		if len(now) > 0 {
			c.keys = now
		}
	}
	return PayloadKey{}, fault.Errorf(fault.Invalid, "a payload of Temporal was encrypted with a key that this installation does not have")
}

func seal(key PayloadKey, plain []byte) ([]byte, error) {
	gcm, err := gcmOf(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce) // never fails
	return gcm.Seal(nonce, nonce, plain, []byte(key.ID)), nil
}

func open(key PayloadKey, sealed []byte) ([]byte, error) {
	gcm, err := gcmOf(key)
	if err != nil {
		return nil, err
	}
	if len(sealed) < gcm.NonceSize() {
		return nil, fault.Errorf(fault.Invalid, "a payload of Temporal is damaged")
	}
	plain, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(key.ID))
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "a payload of Temporal cannot be decrypted")
	}
	return plain, nil
}

func gcmOf(key PayloadKey) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key.Data)
	if err != nil {
		return nil, fmt.Errorf("use a key of payloads: %w", err)
	}
	return cipher.NewGCM(block)
}

// use has a client encode and decode with a codec: values, summaries, details and the texts of errors.
func (c *Codec) use(o *client.Options) {
	values := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)
	o.DataConverter = values
	o.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter: values, EncodeCommonAttributes: c.encrypts,
	})
}
