package instance_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

func TestAnEngineThatWasGivenOutlivesTheRegistry(t *testing.T) {
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: canistertest.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: engine})
		i, err := r.Create(t.Context(), &instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
		if err != nil {
			t.Fatal(err)
		}
		instancetest.Inhabit(t, i)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.Close(); err != nil {
		t.Errorf("closing the engine: %v", err)
	}
}
