package management

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/replica/internal/outcall"
)

// shape is the Go type of an argument or result.
type shape func() (*candid.Type, error)

func of[T any]() shape { return candid.TypeFor[T] }

// What the Bitcoin canisters answer; here nobody reads it.
type bitcoinUtxosResult struct {
	Utxos []struct {
		Outpoint struct {
			Transaction []byte `ic:"txid"`
			Index       uint32 `ic:"vout"`
		} `ic:"outpoint"`
		Value  uint64 `ic:"value"`
		Height uint32 `ic:"height"`
	} `ic:"utxos"`
	Tip    []byte  `ic:"tip_block_hash"`
	Height uint32  `ic:"tip_height"`
	Page   *[]byte `ic:"next_page"`
}

type bitcoinHeadersResult struct {
	Height  uint32   `ic:"tip_height"`
	Headers [][]byte `ic:"block_headers"`
}

var shapes = map[string][2]shape{ // argument, result
	"create_canister":      {of[createArg](), of[idArg]()},
	"update_settings":      {of[updateSettingsArg]()},
	"upload_chunk":         {of[uploadArg](), of[chunkHash]()},
	"clear_chunk_store":    {of[idArg]()},
	"stored_chunks":        {of[idArg](), of[[]chunkHash]()},
	"install_code":         {of[installArg]()},
	"install_chunked_code": {of[installChunkedArg]()},
	"uninstall_code":       {of[versionedArg]()},
	"start_canister":       {of[idArg]()},
	"stop_canister":        {of[idArg]()},
	"canister_status":      {of[idArg](), of[statusResult]()},
	"canister_metrics":     {of[idArg](), of[metricsResult]()},
	"canister_info":        {of[infoArg](), of[infoResult]()},
	"canister_metadata":    {of[metadataArg](), of[metadataResult]()},
	"delete_canister":      {of[idArg]()},
	"deposit_cycles":       {of[idArg]()},
	"raw_rand":             {nil, of[[]byte]()},
	"provisional_create_canister_with_cycles": {of[provisionalCreateArg](), of[idArg]()},
	"provisional_top_up_canister":             {of[topUpArg]()},
	"fetch_canister_logs":                     {of[logsArg](), of[logsResult]()},
	"http_request":                            {of[httpRequestArg](), of[outcall.Result]()},
	"take_canister_snapshot":                  {of[takeSnapshotArg](), of[snapshotResult]()},
	"load_canister_snapshot":                  {of[loadSnapshotArg]()},
	"read_canister_snapshot_metadata":         {of[snapshotArg](), of[snapshotMetadata]()},
	"read_canister_snapshot_data":             {of[readSnapshotArg](), of[snapshotData]()},
	"upload_canister_snapshot_metadata":       {of[uploadSnapshotMetadataArg](), of[snapshotID]()},
	"upload_canister_snapshot_data":           {of[uploadSnapshotDataArg]()},
	"list_canister_snapshots":                 {of[idArg](), of[[]snapshotResult]()},
	"delete_canister_snapshot":                {of[snapshotArg]()},
	"node_metrics_history":                    {of[nodeMetricsArg](), of[[]nodeMetricsDay]()},
	"subnet_info":                             {of[subnetInfoArg](), of[subnetInfoResult]()},
	"bitcoin_get_balance":                     {of[bitcoinBalanceArg](), of[uint64]()},
	"bitcoin_get_utxos":                       {of[bitcoinUtxosArg](), of[bitcoinUtxosResult]()},
	"bitcoin_get_block_headers":               {of[bitcoinHeadersArg](), of[bitcoinHeadersResult]()},
	"bitcoin_send_transaction":                {of[bitcoinSendArg]()},
	"bitcoin_get_current_fee_percentiles":     {of[bitcoinFeesArg](), of[[]uint64]()},
	"ecdsa_public_key":                        {of[ecdsaPublicKeyArg](), of[publicKeyResult]()},
	"sign_with_ecdsa":                         {of[signWithECDSAArg](), of[signatureResult]()},
	"schnorr_public_key":                      {of[schnorrPublicKeyArg](), of[publicKeyResult]()},
	"sign_with_schnorr":                       {of[signWithSchnorrArg](), of[signatureResult]()},
	"vetkd_public_key":                        {of[vetKDPublicKeyArg](), of[vetKDPublicKeyResult]()},
	"vetkd_derive_key":                        {of[vetKDDeriveKeyArg](), of[vetKDDeriveKeyResult]()},
	"list_canisters":                          {nil, of[canistersResult]()},
}

func TestTheInterfaceIsTheSpecifications(t *testing.T) {
	text, err := os.ReadFile("testdata/ic.did")
	if err != nil {
		t.Fatal(err)
	}
	file, err := did.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table() {
		declared, ok := file.Method(m.name)
		if !ok {
			t.Errorf("%s is not in the interface", m.name)
			continue
		}
		same(t, m.name+" argument", declared.Args, shapes[m.name][0])
		same(t, m.name+" result", declared.Results, shapes[m.name][1])
		if queryOnly := declared.Annotation == candid.Query; queryOnly != (m.run == nil) {
			t.Errorf("%s: query %v", m.name, queryOnly)
		}
	}
	if len(file.Methods()) != len(table()) || len(shapes) != len(table()) {
		t.Errorf("%d methods are declared, %d have shapes, %d are there", len(file.Methods()), len(shapes), len(table()))
	}
}

func same(t *testing.T, where string, declared []did.Arg, s shape) {
	t.Helper()
	if s == nil {
		if len(declared) != 0 {
			t.Errorf("%s: none, want %d", where, len(declared))
		}
		return
	}
	got, err := s()
	if err != nil || len(declared) != 1 {
		t.Errorf("%s: %v", where, err)
		return
	}
	if at := differ(got, declared[0].Type); at != "" {
		t.Errorf("%s%s: the Go type %s is not the interface's %s", where, at, got, declared[0].Type)
	}
}

// differ is where two types that are not recursive differ, empty where nowhere.
func differ(a, b *candid.Type) string {
	if a.Kind() != b.Kind() {
		return " "
	}
	switch a.Kind() {
	case candid.KindOpt, candid.KindVec:
		return differ(a.Elem(), b.Elem())
	case candid.KindRecord, candid.KindVariant:
		x, y := a.Fields(), b.Fields()
		if len(x) != len(y) {
			return " (number of fields)"
		}
		for i := range x {
			if x[i].ID != y[i].ID {
				return "." + x[i].Label.String()
			}
			if at := differ(x[i].Type, y[i].Type); at != "" {
				return "." + x[i].Label.String() + at
			}
		}
	}
	return ""
}
