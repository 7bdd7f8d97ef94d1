// Package verify checks that a canister has certified an answer to an HTTP request (HTTP gateway protocol
// specification, "Response Verification" and "Legacy Response Verification").
//
// It owns the header IC-Certificate, the expressions of the header IC-CertificateExpression, the choice of the most
// specific path, and the hashes of requests and responses. It must not know how to call a canister or send an answer:
// it takes a request, a response and a time, and returns which headers of the response are certified.
//
// # The steps for one answer
//
//  1. Read the header IC-Certificate: a certificate, a witness, a version and a path (header.go).
//  2. Check the certificate: the root key vouches for it, it speaks for the canister, it is current, and it has the root
//     of the witness as the certified data of the canister (certificate.go).
//  3. Version 1: the hash of the body is in the witness under the path of the request (legacy.go).
//  4. Version 2: the path is the most specific one for the request (path.go); the expression is under this path
//     (expression.go); the hashes of request and response are under the expression (hash.go).
//
// # Decisions
//
// A response with two headers IC-Certificate or two headers IC-CertificateExpression is refused: different readers
// would pick different ones.
//
// A canister whose section supported_certificate_versions includes version 2 may not answer with version 1. The caller
// reads the section.
//
// Signatures are remembered: all assets of a page cost one signature check.
package verify
