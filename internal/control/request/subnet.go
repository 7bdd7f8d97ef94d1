package request

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// EnumNames returns the values of an enumeration for people, without the unspecified one.
func EnumNames(all map[int32]string, prefix string) (names []string) {
	for i := int32(1); i < int32(len(all)); i++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(all[i], prefix)))
	}
	return names
}

// SubnetKinds returns the kinds of subnets for people.
func SubnetKinds() []string { return EnumNames(controlv1.SubnetKind_name, "SUBNET_KIND_") }

// SubnetKind returns the kind with a name, in any case, with or without underscores; false if there is none.
func SubnetKind(name string) (controlv1.SubnetKind, bool) {
	bare := func(text string) string { return strings.ReplaceAll(text, "_", "") }
	k := slices.IndexFunc(SubnetKinds(), func(kind string) bool { return strings.EqualFold(bare(name), bare(kind)) })
	return controlv1.SubnetKind(k + 1), k >= 0
}

// defaultInstance is the name of the instance that requests without a name are about.
const defaultInstance = "default"

// Subnet returns the id of a subnet that is given by its id, or by its kind if the instance has one of that kind; "" for
// none.
func Subnet(ctx context.Context, d *remote.Daemon, instance, text string) (string, error) {
	kind, is := SubnetKind(text)
	if !is {
		if _, err := principal.Parse(text); text != "" && err != nil {
			return "", fmt.Errorf("%q is neither the kind nor the id of a subnet (canisterd instance show)%s", text, reference.WhyNoPrincipal(text))
		}
		return text, nil
	}
	got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: instance})
	if err != nil {
		return "", err
	}
	subnets := slices.DeleteFunc(got.GetInstance().GetSubnets(), func(s *controlv1.Subnet) bool { return s.GetKind() != kind })
	switch len(subnets) {
	case 0:
		return "", fmt.Errorf("instance %s has no subnet of kind %s (canisterd instance show)", cmp.Or(instance, defaultInstance), text)
	case 1:
		return subnets[0].GetSubnetId(), nil
	}
	return "", fmt.Errorf("instance %s has %d subnets of kind %s: select one by its id (canisterd instance show)", cmp.Or(instance, defaultInstance), len(subnets), text)
}
