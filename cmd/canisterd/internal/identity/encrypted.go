package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"hash"

	"golang.org/x/crypto/scrypt"
)

// encrypted is a password-protected private key (RFC 5958), by PBES2 (RFC 8018).
type encrypted struct {
	By   pkix.AlgorithmIdentifier
	Data []byte
}

type pbes2 struct {
	Derive, Cipher pkix.AlgorithmIdentifier
}

type pbkdf2Parameters struct {
	Salt       []byte
	Iterations int
	Length     int                      `asn1:"optional"`
	Hash       pkix.AlgorithmIdentifier `asn1:"optional"`
}

type scryptParameters struct {
	Salt    []byte
	N, R, P int
	Length  int `asn1:"optional"`
}

// Object identifiers of key derivation and encryption.
var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidScrypt = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11591, 4, 11}
)

// aesKeys maps the object identifiers of AES-CBC to key lengths.
var aesKeys = map[string]int{"2.16.840.1.101.3.4.1.2": 16, "2.16.840.1.101.3.4.1.22": 24, "2.16.840.1.101.3.4.1.42": 32}

// hashes maps object identifiers to the hashes of PBKDF2; without one it is SHA-1.
var hashes = map[string]func() hash.Hash{
	"": sha1.New, "1.2.840.113549.2.7": sha1.New, "1.2.840.113549.2.9": sha256.New, "1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
}

// Bounds of the work for a file: of scrypt N·R and P, of PBKDF2 the rounds. Ours.
const (
	maxScryptMemory = 1 << 24 // of 128 bytes
	maxScryptTimes  = 16
	maxIterations   = 50_000_000
)

var (
	errCipher   = errors.New("unsupported encryption: convert the key (openssl pkcs8 -topk8 -v2 aes256 -in FILE)")
	errPassword = errors.New("wrong password")
)

// decryptPKCS8 decrypts a key with a password.
func decryptPKCS8(der, password []byte) ([]byte, error) {
	var outer encrypted
	if _, err := asn1.Unmarshal(der, &outer); err != nil || !outer.By.Algorithm.Equal(oidPBES2) {
		return nil, errCipher
	}
	var scheme pbes2
	if _, err := asn1.Unmarshal(outer.By.Parameters.FullBytes, &scheme); err != nil {
		return nil, errCipher
	}
	length := aesKeys[scheme.Cipher.Algorithm.String()]
	var iv []byte
	if _, err := asn1.Unmarshal(scheme.Cipher.Parameters.FullBytes, &iv); err != nil || length == 0 || len(iv) != aes.BlockSize {
		return nil, errCipher
	}
	key, err := derive(scheme.Derive, password, length)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(outer.Data) == 0 || len(outer.Data)%aes.BlockSize != 0 {
		return nil, errCipher
	}
	plain := make([]byte, len(outer.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, outer.Data)
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, errPassword
	}
	plain = plain[:len(plain)-padding]
	// A wrong password gives correct padding once in 256 times, but no key.
	if _, err := asn1.Unmarshal(plain, new(pkcs8)); err != nil {
		return nil, errPassword
	}
	return plain, nil
}

// derive derives a key from a password.
func derive(by pkix.AlgorithmIdentifier, password []byte, length int) ([]byte, error) {
	switch {
	case by.Algorithm.Equal(oidPBKDF2):
		var p pbkdf2Parameters
		if _, err := asn1.Unmarshal(by.Parameters.FullBytes, &p); err != nil || p.Iterations < 1 || p.Iterations > maxIterations {
			return nil, errCipher
		}
		h := hashes[p.Hash.Algorithm.String()]
		if h == nil {
			return nil, errCipher
		}
		return pbkdf2.Key(h, string(password), p.Salt, p.Iterations, length)
	case by.Algorithm.Equal(oidScrypt):
		var p scryptParameters
		if _, err := asn1.Unmarshal(by.Parameters.FullBytes, &p); err != nil || p.P > maxScryptTimes || p.N <= 0 || p.R <= 0 || p.N > maxScryptMemory/p.R {
			return nil, errCipher
		}
		key, err := scrypt.Key(password, p.Salt, p.N, p.R, p.P, length)
		if err != nil {
			return nil, errCipher
		}
		return key, nil
	}
	return nil, errCipher
}
