package pocketic

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// mainnetBlock is the number of consecutive canister ids of a subnet of mainnet.
const mainnetBlock = 1 << 20

// mainnetSubnets lists the ids of mainnet's application subnets by the block of their canister ids (mainnet's routing
// table, December 2025); "" for subnets of other kinds.
var mainnetSubnets = []string{
	0x00: "",
	0x01: "snjp4-xlbw4-mnbog-ddwy6-6ckfd-2w5a2-eipqo-7l436-pxqkh-l6fuv-vae",
	0x02: "qxesv-zoxpm-vc64m-zxguk-5sj74-35vrb-tbgwg-pcird-5gr26-62oxl-cae",
	0x03: "pae4o-o6dxf-xki7q-ezclx-znyd6-fnk6w-vkv5z-5lfwh-xym2i-otrrw-fqe",
	0x04: "4zbus-z2bmt-ilreg-xakz4-6tyre-hsqj4-slb4g-zjwqo-snjcc-iqphi-3qe",
	0x05: "w4asl-4nmyj-qnr7c-6cqq4-tkwmt-o26di-iupkq-vx4kt-asbrx-jzuxh-4ae",
	0x06: "io67a-2jmkw-zup3h-snbwi-g6a5n-rm5dn-b6png-lvdpl-nqnto-yih6l-gqe",
	0x07: "5kdm2-62fc6-fwnja-hutkz-ycsnm-4z33i-woh43-4cenu-ev7mi-gii6t-4ae",
	0x08: "shefu-t3kr5-t5q3w-mqmdq-jabyv-vyvtf-cyyey-3kmo4-toyln-emubw-4qe",
	0x09: "ejbmu-grnam-gk6ol-6irwa-htwoj-7ihfl-goimw-hlnvh-abms4-47v2e-zqe",
	0x0a: "eq6en-6jqla-fbu5s-daskr-h6hx2-376n5-iqabl-qgrng-gfqmv-n3yjr-mqe",
	0x0b: "csyj4-zmann-ys6ge-3kzi6-onexi-obayx-2fvak-zersm-euci4-6pslt-lae",
	0x0c: "lspz2-jx4pu-k3e7p-znm7j-q4yum-ork6e-6w4q6-pijwq-znehu-4jabe-kqe",
	0x0d: "lhg73-sax6z-2zank-6oer2-575lz-zgbxx-ptudx-5korm-fy7we-kh4hl-pqe",
	0x0e: "gmq5v-hbozq-uui6y-o55wc-ihop3-562wb-3qspg-nnijg-npqp5-he3cj-3ae",
	0x0f: "pjljw-kztyl-46ud4-ofrj6-nzkhm-3n4nt-wi3jt-ypmav-ijqkt-gjf66-uae",
	0x10: "brlsh-zidhj-3yy3e-6vqbz-7xnih-xeq2l-as5oc-g32c4-i5pdn-2wwof-oae",
	0x11: "mpubz-g52jc-grhjo-5oze5-qcj74-sex34-omprz-ivnsm-qvvhr-rfzpv-vae",
	0x12: "qdvhd-os4o2-zzrdw-xrcv4-gljou-eztdp-bj326-e6jgr-tkhuc-ql6v2-yqe",
	0x13: "jtdsg-3h6gi-hs7o5-z2soi-43w3z-soyl3-ajnp3-ekni5-sw553-5kw67-nqe",
	0x14: "k44fs-gm4pv-afozh-rs7zw-cg32n-u7xov-xqyx3-2pw5q-eucnu-cosd4-uqe",
	0x15: "opn46-zyspe-hhmyp-4zu6u-7sbrh-dok77-m7dch-im62f-vyimr-a3n2c-4ae",
	0x16: "6pbhf-qzpdk-kuqbr-pklfa-5ehhf-jfjps-zsj6q-57nrl-kzhpd-mu7hc-vae",
	0x17: "e66qm-3cydn-nkf4i-ml4rb-4ro6o-srm5s-x5hwq-hnprz-3meqp-s7vks-5qe",
	0x18: "4ecnw-byqwz-dtgss-ua2mh-pfvs7-c3lct-gtf4e-hnu75-j7eek-iifqm-sqe",
	0x19: "yinp6-35cfo-wgcd2-oc4ty-2kqpf-t4dul-rfk33-fsq3r-mfmua-m2ngh-jqe",
	0x1a: "",
	0x1b: "cv73p-6v7zi-u67oy-7jc3h-qspsz-g5lrj-4fn7k-xrax3-thek2-sl46v-jae",
	0x1c: "o3ow2-2ipam-6fcjo-3j5vt-fzbge-2g7my-5fz2m-p4o2t-dwlc4-gt2q7-5ae",
	0x1d: "",
	0x1e: "3hhby-wmtmw-umt4t-7ieyg-bbiig-xiylg-sblrt-voxgt-bqckd-a75bf-rqe",
	0x1f: "nl6hn-ja4yw-wvmpy-3z2jx-ymc34-pisx3-3cp5z-3oj4a-qzzny-jbsv3-4qe",
	0x20: "",
	0x21: "",
	0x22: "2fq7c-slacv-26cgz-vzbx2-2jrcs-5edph-i5s2j-tck77-c3rlz-iobzx-mqe",
	0x23: "",
	0x24: "bkfrj-6k62g-dycql-7h53p-atvkj-zg4to-gaogh-netha-ptybj-ntsgw-rqe",
	0x25: "4utr6-xo2fz-v7fsb-t3wsg-k7sfl-cj2ba-ghdnd-kcrfo-xavdb-ebean-mqe",
	0x26: "mkbc3-fzim5-s5pye-pbnzo-uj5yv-raphe-ceecn-ejd6g-5poxm-dzuot-iae",
	0x27: "xok3w-cnepj-fg6aa-cjitt-uoxod-4ddsy-nc7dq-zwudz-o6jar-rzstb-gqe",
	0x28: "c4isl-65rwf-emhk5-5ta5m-ngl73-rgrl3-tcc56-2hkja-4erqd-iivmy-7ae",
	0x29: "vcpt7-niq42-6snup-7kcgy-cndz6-srq6n-h6vwi-oswri-a3guc-v5ssd-5qe",
	0x2a: "xlkub-3thlm-uha3c-hqmfw-qykp5-6rldi-hpfxy-nwyxy-w6bbk-tpg5h-vqe",
	0x2b: "kp5jj-kpgmn-f4ohx-uqot6-wtbbr-lmtqv-kpkaf-gcksv-snkwm-43kmy-iae",
	0x2c: "6excn-doq5g-bmrxd-3774i-hjnn2-3ovbo-xjwz7-3yozt-fsbzx-bethy-bae",
	0x2d: "rtvil-s5u5d-jbj7o-prlhw-bzlr5-3j5kn-2iu7a-jq2hl-avkhn-w7oa7-6ae",
	0x2e: "2zs4v-uoqha-xsuun-lveyr-i4ktc-5y3ju-aysud-niobd-gxnqa-ctqem-hae",
}

// mainnetKinds maps the other blocks to kinds.
var mainnetKinds = map[uint64]replica.SubnetKind{
	0x1a: replica.Bitcoin, 0x1d: replica.TestKeys, 0x20: replica.SNS, 0x21: replica.II, 0x23: replica.Fiduciary,
}

// mainnetMoved lists canisters that have left their block, with the block whose subnet hosts them.
var mainnetMoved = []struct{ number, block uint64 }{{0x6000af, 0x01}, {0x1f08180, 0x09}}

// mainnetSubnet describes the subnet that hosts a canister of mainnet. It returns false for other canisters and for
// those of the root subnet.
func mainnetSubnet(id principal.Principal) (config replica.SubnetConfig, ok bool) {
	number, ok := id.CanisterNumber()
	block := number / mainnetBlock
	for _, moved := range mainnetMoved {
		if moved.number == number {
			block = moved.block
		}
	}
	switch kind, special := mainnetKinds[block]; {
	case !ok || block >= uint64(len(mainnetSubnets)):
		return config, false
	case special:
		return replica.SubnetConfig{Kind: kind}, true
	case number == internetIdentity:
		return replica.SubnetConfig{Kind: replica.II}, true
	case block == 0:
		return config, false
	}
	return replica.SubnetConfig{ID: principal.MustParse(mainnetSubnets[block]), Ranges: mainnetRanges(block)}, true
}

// internetIdentity is the only canister in the root subnet's range that is on another subnet.
const internetIdentity = 7

// mainnetRanges returns the canister ids of the subnet of a block.
func mainnetRanges(block uint64) []replica.Range {
	last := replica.Range{First: block * mainnetBlock, Last: (block+1)*mainnetBlock - 1}
	var ranges, elsewhere []replica.Range
	for _, moved := range mainnetMoved {
		if moved.block == block {
			elsewhere = append(elsewhere, replica.Range{First: moved.number, Last: moved.number})
		}
		if last.Contains(moved.number) {
			ranges = append(ranges, replica.Range{First: last.First, Last: moved.number - 1})
			last.First = moved.number + 1
		}
	}
	return append(append(ranges, last), elsewhere...)
}

// addMainnetSubnet adds the subnet of mainnet that hosts a canister id, and runs a round, after which it exists.
func (e *entry) addMainnetSubnet(ctx context.Context, id principal.Principal) error {
	config, ok := mainnetSubnet(id)
	if !ok {
		return noBirthplace(id)
	}
	if _, err := e.apply(ctx, &replica.AddSubnet{Config: config}); err != nil {
		return err
	}
	return e.subnetsChanged(ctx)
}

// subnetsChanged runs a round, after which views show the new subnets, and tells the system canisters.
func (e *entry) subnetsChanged(ctx context.Context) error {
	if _, err := e.instance.Driver().Round(ctx); err != nil {
		return err
	}
	return systemcanisters.SetSubnets(ctx, systemNetwork{e})
}

// systemNetwork is the instance for calls of its system canisters.
type systemNetwork struct{ *entry }

// View returns the network's state at the end of its last round.
func (n systemNetwork) View() *replica.View { return n.instance.Driver().View() }

// Call sends a call and returns the reply.
func (n systemNetwork) Call(ctx context.Context, call *systemcanisters.Call) ([]byte, error) {
	to, err := n.hosted(ctx, call.Effective)
	if err != nil {
		return nil, err
	}
	id, reject, err := n.submit(ctx, &preparedCall{sender: call.Sender, receiver: call.Receiver, method: call.Method, payload: call.Arg, to: to}, true)
	if err == nil && reject == nil {
		err = n.await(ctx, to.subnet, id)
	}
	if err != nil || reject != nil {
		return nil, errorOfCall(call, reject, err)
	}
	answer, err := n.answer(ctx, to.subnet, id)
	if err == nil && !answer.Status.Terminal() {
		err = n.unanswered(ctx, id)
	}
	return answer.Reply, errorOfCall(call, answer.Reject, err)
}

// errorOfCall returns why a call of a system canister failed, nil if it did not.
func errorOfCall(call *systemcanisters.Call, reject *intercanister.Reject, err error) error {
	if reject != nil {
		return failed("%s of %s was rejected: %s", call.Method, call.Receiver, reject.Message())
	}
	return err
}
