//! PocketIC's Rust client, unmodified, with canisterd as its server (POCKET_IC_BIN): version 16 (feature newest) or 13
//! (feature previous). Each part uses methods of the client and panics where one does not do what PocketIC does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use candid::{CandidType, Nat, Principal, decode_args, encode_args, encode_one};
#[cfg(feature = "previous")]
extern crate pocket_ic_13 as pocket_ic;
#[cfg(feature = "newest")]
use pocket_ic::common::rest::{CanisterHttpReplication, MockFlexibleCanisterHttpResponse, RawSenderInfo};
use pocket_ic::common::rest::{
    BlobCompression, CanisterCyclesCostSchedule, CanisterHttpReply, CanisterHttpResponse, ExtendedSubnetConfigSet, IcpConfig, IcpConfigFlag, IcpFeatures, IcpFeaturesConfig,
    InstanceConfig, InstanceHttpGatewayConfig, MockCanisterHttpResponse, RawEffectivePrincipal, SubnetInstructionConfig, SubnetKind,
    SubnetSpec, SubnetStateConfig,
};
#[cfg(feature = "newest")]
use pocket_ic::CreateCanisterParams;
use pocket_ic::{
    CanisterInstallMode, CanisterSettings, ErrorCode, IngressStatusResult, PocketIc, PocketIcBuilder, PocketIcState, RejectCode, StartServerParams,
    TickConfigs, Time, call_candid, call_candid_as, copy_dir, get_default_effective_canister_id, query_candid, query_candid_as, start_server,
    update_candid, update_candid_as, with_candid,
};
use serde_json::{Value, json};

const T: u128 = 1_000_000_000_000;

fn wasm(name: &str) -> Vec<u8> {
    let fixtures = std::env::var("CANISTERD_FIXTURES").expect("CANISTERD_FIXTURES");
    std::fs::read(Path::new(&fixtures).join(name).with_extension("wasm")).expect(name)
}

fn nothing() -> Vec<u8> {
    encode_args(()).unwrap()
}

/// Version 13 makes canisters without cycles.
fn canister(pic: &PocketIc) -> Principal {
    let id = pic.create_canister();
    funded(pic, id)
}

fn funded(pic: &PocketIc, id: Principal) -> Principal {
    if cfg!(feature = "previous") {
        pic.add_cycles(id, 100 * T);
    }
    id
}

fn counter(pic: &PocketIc) -> Principal {
    let id = canister(pic);
    pic.install_canister(id, wasm("counter"), nothing(), None);
    id
}

fn calls() {
    let pic = PocketIc::new();
    let id = counter(&pic);
    assert_eq!(id.to_text(), "lxzze-o7777-77777-aaaaa-cai");
    let user = Principal::self_authenticating([7]);
    pic.update_call(id, user, "add", encode_one(Nat::from(5u8)).unwrap()).unwrap();
    pic.update_call_with_effective_principal(id, RawEffectivePrincipal::None, user, "inc", nothing()).unwrap();
    let (n,): (Nat,) = update_candid(&pic, id, "inc", ()).unwrap();
    assert_eq!(n, Nat::from(7u8));
    let (n,): (Nat,) = update_candid_as(&pic, id, user, "inc", ()).unwrap();
    assert_eq!(n, Nat::from(8u8));
    let (n,): (Nat,) = query_candid(&pic, id, "get", ()).unwrap();
    assert_eq!(n, Nat::from(8u8));
    let (n,): (Nat,) = query_candid_as(&pic, id, user, "get", ()).unwrap();
    assert_eq!(n, Nat::from(8u8));
    let (n,): (Nat,) = call_candid(&pic, id, RawEffectivePrincipal::None, "inc", ()).unwrap();
    assert_eq!(n, Nat::from(9u8));
    let (n,): (Nat,) = call_candid_as(&pic, id, RawEffectivePrincipal::None, user, "inc", ()).unwrap();
    assert_eq!(n, Nat::from(10u8));
    let (n,): (Nat,) = with_candid((), |arg| pic.query_call(id, user, "get", arg)).unwrap();
    assert_eq!(n, Nat::from(10u8));
    pic.query_call(id, user, "get", nothing()).unwrap();
    pic.query_call_with_effective_principal(id, RawEffectivePrincipal::CanisterId(id.as_slice().to_vec()), user, "get", nothing()).unwrap();
    let reject = pic.update_call(id, user, "missing", vec![]).unwrap_err();
    assert_eq!((reject.reject_code, reject.error_code, reject.certified), (RejectCode::CanisterError, ErrorCode::CanisterMethodNotFound, true));
    assert!(!pic.query_call(id, user, "missing", vec![]).unwrap_err().certified);
    // Two messages of one round.
    let first = pic.submit_call(id, user, "inc", nothing()).unwrap();
    let second = pic.submit_call_with_effective_principal(id, RawEffectivePrincipal::None, user, "inc", nothing()).unwrap();
    assert!(pic.ingress_status(first.clone()).is_none());
    let before = pic.get_time().as_nanos_since_unix_epoch();
    pic.await_call(first).unwrap();
    assert!(pic.ingress_status(second.clone()).is_some());
    assert_eq!(pic.get_time().as_nanos_since_unix_epoch(), before + 1);
    assert!(matches!(pic.ingress_status_as(second.clone(), user), IngressStatusResult::Success(Ok(_))));
    assert!(matches!(pic.ingress_status_as(second.clone(), Principal::anonymous()), IngressStatusResult::Forbidden(_)));
    pic.await_call_no_ticks(second).unwrap();
    // Another client of the same instance.
    let same = PocketIc::new_from_existing_instance(pic.get_server_url(), pic.instance_id(), None);
    assert!(same.canister_exists(id));
    assert!(PocketIc::list_instances().len() > pic.instance_id());
}

fn canisters() {
    let pic = PocketIcBuilder::new().with_nns_subnet().with_application_subnet().with_application_subnet().build();
    let owner = Principal::self_authenticating([8]);
    let id = funded(&pic, pic.create_canister_with_settings(Some(owner), None));
    assert_eq!(pic.get_controllers(id), vec![owner]);
    assert_eq!(pic.cycle_balance(id), 100 * T);
    assert_eq!(pic.add_cycles(id, 5 * T), 105 * T);
    pic.install_canister(id, wasm("counter"), nothing(), Some(owner));
    assert!(pic.cycle_balance(id) < 105 * T);
    pic.upgrade_eop_canister(id, wasm("counter"), nothing(), Some(owner)).unwrap();
    pic.reinstall_canister(id, wasm("bank"), vec![0; 8], Some(owner)).unwrap();
    pic.upgrade_canister(id, wasm("bank"), nothing(), Some(owner)).unwrap();
    assert!(pic.canister_status(id, Some(owner)).unwrap().module_hash.is_some());
    assert!(pic.canister_status(id, None).is_err());
    pic.fetch_canister_logs(id, owner).unwrap();
    let snapshot = pic.take_canister_snapshot(id, Some(owner), None).unwrap();
    assert_eq!(pic.list_canister_snapshots(id, Some(owner)).unwrap().len(), 1);
    pic.stop_canister(id, Some(owner)).unwrap();
    pic.load_canister_snapshot(id, Some(owner), snapshot.id.clone()).unwrap();
    pic.start_canister(id, Some(owner)).unwrap();
    let folder = std::env::temp_dir().join("snapshot");
    pic.canister_snapshot_download(id, owner, snapshot.id.clone(), folder.clone());
    let uploaded = pic.canister_snapshot_upload(id, owner, Some(snapshot.id), folder);
    pic.load_canister_snapshot(id, Some(owner), uploaded.clone()).unwrap();
    pic.delete_canister_snapshot(id, Some(owner), uploaded).unwrap();
    let hash = pic.upload_chunk(id, Some(owner), wasm("counter")).unwrap();
    assert_eq!(pic.stored_chunks(id, Some(owner)).unwrap().len(), 1);
    pic.install_chunked_canister(id, Some(owner), CanisterInstallMode::Reinstall, id, vec![hash.clone()], hash, nothing()).unwrap();
    pic.clear_chunk_store(id, Some(owner)).unwrap();
    pic.set_controllers(id, Some(owner), vec![owner, Principal::anonymous()]).unwrap();
    pic.update_canister_settings(id, None, CanisterSettings { freezing_threshold: Some(Nat::from(1_000u32)), ..Default::default() }).unwrap();
    pic.uninstall_canister(id, Some(owner)).unwrap();
    pic.stop_canister(id, Some(owner)).unwrap();
    pic.delete_canister(id, Some(owner)).unwrap();
    assert!(!pic.canister_exists(id));
    let subnets = pic.topology().get_app_subnets();
    let there = pic.create_canister_on_subnet(None, None, subnets[1]);
    assert_eq!(pic.get_subnet(there), Some(subnets[1]));
    let ledger = Principal::from_text("ryjl3-tyaaa-aaaaa-aaaba-cai").unwrap();
    assert_eq!(pic.create_canister_with_id(None, None, ledger), Ok(ledger));
    assert!(pic.create_canister_with_id(None, None, ledger).unwrap_err().contains("already"));
    #[cfg(feature = "newest")]
    {
        let poor = pic.create_canister_with_params(None, CreateCanisterParams { cycles: Some(3 * T), ..Default::default() }).unwrap();
        assert_eq!(pic.cycle_balance(poor), 3 * T);
    }
    assert!(pic.get_subnet_metrics(subnets[1]).unwrap().num_canisters > 0);
}

fn time() {
    let pic = PocketIc::new();
    assert_eq!(pic.get_time().as_nanos_since_unix_epoch(), 1_620_328_630_000_000_001);
    pic.tick();
    pic.tick_with_configs(TickConfigs { blockmakers: None });
    assert_eq!(pic.get_time().as_nanos_since_unix_epoch(), 1_620_328_630_000_000_003);
    let later = Time::from_nanos_since_unix_epoch(1_700_000_000_000_000_000);
    pic.set_time(later);
    pic.tick();
    assert_eq!(pic.get_time(), later);
    pic.advance_time(Duration::from_secs(1));
    pic.set_certified_time(later + Duration::from_secs(2));
    assert_eq!(pic.get_time(), later + Duration::from_secs(2));
    let begun = PocketIcBuilder::new().with_application_subnet().with_initial_time(Time::from_nanos_since_unix_epoch(1_800_000_000_000_000_000)).build();
    assert_eq!(begun.get_time().as_nanos_since_unix_epoch(), 1_800_000_000_000_000_001);
}

fn topology() {
    let builder = PocketIcBuilder::new()
        .with_nns_subnet().with_sns_subnet().with_ii_subnet().with_fiduciary_subnet().with_bitcoin_subnet()
        .with_system_subnet().with_application_subnet().with_verified_application_subnet()
        .with_benchmarking_application_subnet().with_benchmarking_system_subnet();
    #[cfg(feature = "newest")]
    let builder = builder.with_test_threshold_keys_subnet();
    let pic = builder.build();
    let topology = pic.topology();
    assert_eq!(topology.subnet_configs.len(), if cfg!(feature = "newest") { 11 } else { 10 });
    for kind in [SubnetKind::NNS, SubnetKind::SNS, SubnetKind::II, SubnetKind::Fiduciary, SubnetKind::Bitcoin, SubnetKind::VerifiedApplication] {
        assert!(topology.subnet_configs.values().any(|c| c.subnet_kind == kind), "{kind:?}");
    }
    for (what, subnet) in [
        ("nns", topology.get_nns()), ("sns", topology.get_sns()), ("ii", topology.get_ii()), ("fiduciary", topology.get_fiduciary()),
        ("bitcoin", topology.get_bitcoin()),
    ] {
        assert!(subnet.is_some(), "{what}");
    }
    assert_eq!(topology.get_app_subnets().len(), 2);
    assert_eq!(topology.get_benchmarking_app_subnets().len(), 1);
    assert_eq!(topology.get_verified_app_subnets().len(), 1);
    assert_eq!(topology.get_system_subnets().len(), 2);
    assert!(pic.root_key().is_some());
    assert!(PocketIc::new().root_key().is_none());
    specified();
    let named = PocketIcBuilder::new().with_nns_subnet().with_mainnet_nns_subnet_id().build();
    assert_eq!(named.topology().get_nns().unwrap().to_text(), "tdb26-jop6k-aogll-7ltgs-eruif-6kk7m-qpktf-gdiqx-mxtrf-vb5e6-eqe");
    let _ = InstanceConfig::default();
    let two = ExtendedSubnetConfigSet { application: vec![SubnetSpec::default(); 2], ..Default::default() };
    assert_eq!(PocketIcBuilder::new_with_config(two).build().topology().get_app_subnets().len(), 2);
}

// Subnets by their specifications.
fn specified() {
    let owner = Principal::from_slice(&[7]);
    let engine = SubnetSpec::default().with_cost_schedule(CanisterCyclesCostSchedule::Free).with_subnet_admins(vec![owner]);
    assert_eq!(engine.get_subnet_admins(), Some(vec![owner]));
    assert_eq!(engine.get_cost_schedule(), CanisterCyclesCostSchedule::Free);
    let measured = SubnetSpec::default().with_benchmarking_instruction_config();
    assert!(measured.is_supported() && measured.get_state_path().is_none() && SubnetStateConfig::New.get_path().is_none());
    assert_eq!(measured.get_instruction_config(), SubnetInstructionConfig::Benchmarking);
    let set = ExtendedSubnetConfigSet { cloud_engine: vec![engine], application: vec![measured], ..Default::default() };
    set.validate().unwrap();
    let set = set.try_with_icp_features(&IcpFeatures::default()).unwrap();
    assert!(set.get_named().is_empty());
    #[cfg(feature = "newest")]
    assert!(SubnetKind::NNS.is_named() && !SubnetKind::CloudEngine.is_named());
    let topology = PocketIcBuilder::new_with_config(set).build().topology();
    assert_eq!((topology.get_cloud_engines().len(), topology.get_benchmarking_app_subnets().len()), (1, 1));
}

#[allow(deprecated)]
fn configurations() {
    let config = IcpConfig { beta_features: Some(IcpConfigFlag::Enabled), ..Default::default() };
    let features = IcpFeatures { icp_token: Some(IcpFeaturesConfig::DefaultConfig), ..Default::default() };
    let gateway = InstanceHttpGatewayConfig { ip_addr: None, port: None, domains: None, https_config: None, domain_custom_provider_local_file: None };
    let pic = PocketIcBuilder::new()
        .with_application_subnet().with_server_binary(PathBuf::from(std::env::var("POCKET_IC_BIN").unwrap()))
        .with_max_request_time_ms(Some(60_000)).with_icp_config(config).with_log_level(slog::Level::Warning).with_icp_features(features)
        .with_initial_timestamp(1_700_000_000_000_000_000).with_http_gateway(gateway)
        .build();
    assert!(pic.get_time().as_nanos_since_unix_epoch() > 1_700_000_000_000_000_000);
    assert!(pic.url().is_some());
    assert!(pic.canister_exists(Principal::from_text("ryjl3-tyaaa-aaaaa-aaaba-cai").unwrap()));
    let instance = pic.get_server_url().join(&format!("instances/{}", pic.instance_id())).unwrap();
    assert_eq!(get_default_effective_canister_id(instance.to_string()).unwrap(), pic.topology().default_effective_canister_id.into());
    assert!(pic.verify_canister_signature(vec![1], vec![2], vec![3], vec![4]).unwrap_err().contains("Failed to parse DER"));
    #[cfg(feature = "newest")]
    drop(PocketIcBuilder::new().with_application_subnet().disable_ingress_validation().build());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        PocketIcBuilder::new().with_application_subnet().build_async().await.drop().await;
        let (mut server, url) = start_server(StartServerParams { reuse: false, ..Default::default() }).await;
        assert!(url.as_str().starts_with("http://127.0.0.1:"));
        server.kill().unwrap();
        server.wait().unwrap();
    });
}

/// Servers refuse these, for canisterd has neither adapters for other chains nor a reader of the replica's checkpoints.
fn refused() {
    let nowhere = "127.0.0.1:1".parse().unwrap();
    let builder = || PocketIcBuilder::new().with_application_subnet();
    for refused in [
        builder().with_bitcoind_addr(nowhere), builder().with_bitcoind_addrs(vec![nowhere]), builder().with_dogecoind_addrs(vec![nowhere]),
        builder().with_nns_state(std::env::temp_dir()), builder().with_subnet_state(SubnetKind::SNS, std::env::temp_dir()),
    ] {
        assert!(catch_unwind(AssertUnwindSafe(|| refused.build())).is_err());
    }
}

fn states() {
    let state = PocketIcState::new();
    let pic = PocketIcBuilder::new().with_application_subnet().with_state(state).build();
    let id = counter(&pic);
    update_candid::<_, (Nat,)>(&pic, id, "inc", ()).unwrap();
    let folder = pic.drop_and_take_state().unwrap().into_path();
    let count = |pic: &PocketIc| query_candid::<_, (Nat,)>(pic, id, "get", ()).unwrap().0;
    let copied = std::env::temp_dir().join("copied");
    copy_dir(&folder, &copied).unwrap();
    let copy = PocketIcBuilder::new().with_read_only_state(&PocketIcState::new_from_path(copied)).build();
    update_candid::<_, (Nat,)>(&copy, id, "inc", ()).unwrap();
    assert_eq!(count(&copy), Nat::from(2u8));
    let pic = PocketIcBuilder::new().with_state_dir(folder).build();
    assert_eq!(count(&pic), Nat::from(1u8));
}

#[cfg(feature = "newest")]
fn newest() {
    let pic = PocketIcBuilder::new().with_application_subnet().with_application_subnet().build();
    let id = counter(&pic);
    let user = Principal::anonymous();
    let info = || RawSenderInfo { info: vec![1], signer: id.as_slice().to_vec() };
    let none = RawEffectivePrincipal::None;
    pic.update_call_with_sender_info(id, user, "inc", nothing(), info()).unwrap();
    pic.update_call_with_effective_principal_and_sender_info(id, none.clone(), user, "inc", nothing(), info()).unwrap();
    pic.query_call_with_sender_info(id, user, "get", nothing(), info()).unwrap();
    pic.query_call_with_effective_principal_and_sender_info(id, none.clone(), user, "get", nothing(), info()).unwrap();
    let first = pic.submit_call_with_sender_info(id, user, "inc", nothing(), info()).unwrap();
    let second = pic.submit_call_with_effective_principal_and_sender_info(id, none, user, "inc", nothing(), info()).unwrap();
    pic.await_call(first).unwrap();
    let (n,): (Nat,) = decode_args(&pic.await_call(second).unwrap()).unwrap();
    assert_eq!(n, Nat::from(4u8));
    let fetcher = pic.create_canister();
    pic.install_canister(fetcher, wasm("outcaller"), nothing(), None);
    let call = pic.submit_call(fetcher, user, "fetch_each", encode_args(("https://example.com/", None::<()>)).unwrap()).unwrap();
    pic.tick();
    pic.tick();
    let [pending] = &pic.get_canister_http()[..] else { panic!("no outcall waits") };
    let CanisterHttpReplication::Flexible { total_requests, .. } = pending.replication else { panic!("it is not flexible") };
    let answer = CanisterHttpResponse::CanisterHttpReply(CanisterHttpReply { status: 200, headers: vec![], body: b"news".to_vec() });
    pic.mock_flexible_canister_http_response(MockFlexibleCanisterHttpResponse {
        subnet_id: pending.subnet_id, request_id: pending.request_id, responses: vec![answer; total_requests as usize],
    });
    assert!(pic.await_call(call).unwrap().windows(4).any(|bytes| bytes == b"news"));
    let other = *pic.topology().get_app_subnets().iter().find(|subnet| Some(**subnet) != pic.get_subnet(id)).unwrap();
    let moved = pic.create_canister_on_subnet(None, None, other);
    pic.delete_subnet(other);
    assert!(!pic.canister_exists(moved) && pic.topology().get_app_subnets().len() == 1);
    assert!(catch_unwind(AssertUnwindSafe(|| pic.delete_subnet(pic.get_subnet(id).unwrap()))).is_err());
}

fn fork(pic: &PocketIc) -> PocketIc {
    let server = pic.get_server_url().join(&format!("canisterd/fork_of/{}/", pic.instance_id())).unwrap();
    PocketIcBuilder::new().with_server_url(server).build()
}

fn canisterd(pic: &PocketIc, rpc: &str, body: Value) -> Value {
    let route = pic.get_server_url().join(&format!("/instances/{}/canisterd/{rpc}", pic.instance_id())).unwrap();
    reqwest::blocking::Client::new().post(route).json(&body).send().unwrap().json().unwrap()
}

fn forks() {
    let world = PocketIc::new();
    let counted = counter(&world);
    let caller = canister(&world);
    world.install_canister(caller, wasm("caller"), nothing(), None);
    let pic = fork(&world);
    let bump = encode_one(counted.to_text()).unwrap();

    canisterd(&pic, "add_rule", json!({"rule": {"match": {"method": "inc", "times": 1}, "hold": true}}));
    let call = pic.submit_call(caller, Principal::anonymous(), "bump", bump).unwrap();
    let held = canisterd(&pic, "await_held", json!({}));
    update_candid::<_, (Nat,)>(&pic, counted, "add", (Nat::from(5u8),)).unwrap();
    canisterd(&pic, "release", json!({"held_id": held["held"]["held_id"]}));
    let (n,): (Nat,) = decode_args(&pic.await_call(call).unwrap()).unwrap();
    assert_eq!(n, Nat::from(6u8));

    assert_eq!(query_candid::<_, (Nat,)>(&world, counted, "get", ()).unwrap().0, Nat::from(0u8));
    assert_eq!(pic.upload_blob(vec![1, 2, 3], BlobCompression::NoCompression).0.len(), 32);
}

fn explore(pic: &PocketIc, exploration: Value) {
    let report = canisterd(pic, "explore", exploration);
    let all = report["findings"].as_array().unwrap_or_else(|| panic!("{report}"));
    let findings: Vec<_> = all.iter().filter(|finding| finding["suspicion"] == false).collect();
    for finding in &findings {
        println!("{}", finding["explanation"].as_str().unwrap());
        std::fs::write(std::env::temp_dir().join("finding.yaml"), finding["schedule"].as_str().unwrap()).unwrap();
    }
    assert!(findings.is_empty(), "the exploration has {} findings, the last one in finding.yaml", findings.len());
}

fn explore_withdrawals(world: &PocketIc, bank: Principal, vault: Principal) {
    let withdraw = json!({"title": "withdraw 60", "call": {"canister_id": bank.to_text(), "method": "withdraw", "argument": {"text": "(60)"}}});
    explore(world, json!({
        "operations": [withdraw, withdraw], "faults": 1, "time": "60s",
        "names": {"bank": bank.to_text(), "vault": vault.to_text()},
        "properties": {"invariants": ["vault paidOut <= 100"]},
    }));
}

fn bank_world(module: &str) -> (PocketIc, Principal, Principal) {
    let world = PocketIc::new();
    let (bank, vault) = (canister(&world), canister(&world));
    for (id, name) in [(bank, module), (vault, "vault")] {
        let example = Path::new(&std::env::var("CANISTERD_EXAMPLES").expect("CANISTERD_EXAMPLES")).join(name).with_extension("wasm");
        world.install_canister(id, std::fs::read(example).expect(name), nothing(), None);
    }
    update_candid::<_, ()>(&world, bank, "open", (vault.to_text(),)).unwrap();
    update_candid::<_, (Nat,)>(&world, bank, "deposit", (Nat::from(100u8),)).unwrap();
    (world, bank, vault)
}

fn explorations() {
    let (careful, careless) = (bank_world("careful"), bank_world("bank"));
    explore_withdrawals(&careful.0, careful.1, careful.2);
    assert!(catch_unwind(AssertUnwindSafe(|| explore_withdrawals(&careless.0, careless.1, careless.2))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| explore(&careful.0, json!({})))).is_err());
    for (of, outcome) in [(&careless, "REPLAY_OUTCOME_STILL_FAILS"), (&careful, "REPLAY_OUTCOME_FIXED")] {
        let (world, bank, vault) = of;
        let schedule = std::fs::read_to_string(std::env::temp_dir().join("finding.yaml")).unwrap();
        let names = json!({"bank": bank.to_text(), "vault": vault.to_text()});
        let replayed = canisterd(world, "replay_schedule", json!({"schedule": schedule, "names": names}));
        assert_eq!(replayed["outcome"], outcome, "{replayed}");
    }
}

fn memory() {
    let pic = PocketIc::new();
    let id = counter(&pic);
    for compression in [BlobCompression::NoCompression, BlobCompression::Gzip] {
        let mut content = vec![7u8; 70_000];
        let sent = match compression {
            BlobCompression::NoCompression => content.clone(),
            // Of 70,000 bytes 7.
            BlobCompression::Gzip => std::fs::read(std::env::var("CANISTERD_GZIP").unwrap()).unwrap(),
        };
        pic.set_stable_memory(id, sent, compression);
        content.resize(2 * 65_536, 0);
        assert_eq!(pic.get_stable_memory(id), content);
    }
    assert_eq!(pic.upload_blob(vec![1, 2, 3], BlobCompression::NoCompression).0.len(), 32);
}

#[derive(CandidType)]
struct Header {
    name: String,
    value: String,
}

#[derive(CandidType)]
#[allow(non_camel_case_types)]
enum Method {
    get,
}

#[derive(CandidType)]
struct Request {
    url: String,
    method: Method,
    headers: Vec<Header>,
}

fn outcalls() {
    let pic = PocketIc::new();
    let id = canister(&pic);
    pic.install_canister(id, std::fs::read(std::env::var("CANISTERD_FETCHER").unwrap()).unwrap(), vec![], None);
    let request = Request { url: "https://example.com/".into(), method: Method::get, headers: vec![Header { name: "a".into(), value: "b".into() }] };
    let call = pic.submit_call(id, Principal::anonymous(), "fetch", encode_one(request).unwrap()).unwrap();
    pic.tick();
    pic.tick();
    let pending = pic.get_canister_http();
    assert_eq!(pending.len(), 1);
    #[cfg(feature = "newest")]
    assert_eq!(pending[0].replication, CanisterHttpReplication::FullyReplicated);
    assert_eq!(pending[0].max_response_bytes, None);
    let answer = CanisterHttpResponse::CanisterHttpReply(CanisterHttpReply { status: 200, headers: vec![], body: b"news".to_vec() });
    pic.mock_canister_http_response(MockCanisterHttpResponse {
        subnet_id: pending[0].subnet_id,
        request_id: pending[0].request_id,
        response: answer.clone(),
        additional_responses: vec![answer; 12],
    });
    assert!(pic.await_call(call).unwrap().ends_with(b"news") || pic.get_canister_http().is_empty());
}

fn live() {
    let mut pic = PocketIcBuilder::new().with_application_subnet().build();
    let id = counter(&pic);
    let url = pic.auto_progress();
    assert!(url.path().ends_with("/"));
    assert!(pic.auto_progress_enabled());
    update_candid::<_, (Nat,)>(&pic, id, "inc", ()).unwrap();
    pic.stop_progress();
    assert!(!pic.auto_progress_enabled());
    let url = pic.make_live(None);
    assert_eq!(pic.url(), Some(url));
    pic.stop_live();
    assert!(pic.url().is_none());
    assert!(pic.make_live_with_params(None, None, Some(vec!["localhost".into()]), None).port().is_some());
    let begun = PocketIcBuilder::new().with_application_subnet().with_auto_progress().build();
    assert!(begun.auto_progress_enabled());
    pic.drop_and_take_state();
}

fn main() {
    for (name, part) in [
        ("calls", calls as fn()), ("canisters", canisters), ("time", time), ("topology", topology), ("configurations", configurations),
        ("refused", refused), ("states", states), ("memory", memory), ("outcalls", outcalls), ("live", live), ("forks", forks),
        ("explorations", explorations),
        #[cfg(feature = "newest")]
        ("newest", newest),
    ] {
        if std::env::args().nth(1).is_none_or(|only| only == name) {
            part();
            println!("{name}: passed");
        }
    }
}
