package management

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
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

// signatures are the argument and the result of each method.
var signatures = map[string][2]shape{ // argument, result
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
	"flexible_http_request":                   {of[flexibleRequestArg](), of[outcall.FlexibleResult]()},
	"subnet_metrics":                          {of[subnetInfoArg](), of[subnetMetricsResult]()},
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

// Interface is the Candid interface of the management canister, as text.
func Interface() string {
	var methods []candid.Method
	for _, m := range table() {
		s := signatures[m.name]
		signature := candid.Signature{Args: typesOf(s[0]), Results: typesOf(s[1])}
		if m.onlyQueriedByUsers() {
			signature.Annotation = candid.Query
		}
		function, err := candid.FuncOf(signature)
		if err != nil {
			panic("management: the signature of " + m.name + ": " + err.Error())
		}
		methods = append(methods, candid.Method{Name: m.name, Type: function})
	}
	service, err := candid.ServiceOf(methods...)
	if err != nil {
		panic("management: the interface: " + err.Error())
	}
	return "service : " + strings.TrimPrefix(service.Definition(), "service ")
}

func typesOf(s shape) []*candid.Type {
	if s == nil {
		return nil
	}
	t, err := s()
	if err != nil {
		panic("management: a Go type without a Candid type: " + err.Error())
	}
	return []*candid.Type{t}
}
