//go:build dist && linux && amd64

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// installFromNPM installs the package and the one with the binary of this machine, as npm does from its registry.
func installFromNPM(t *testing.T, dir, packages string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module", "private": true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, dir, "npm", "install", "--offline", "--no-audit", "--no-fund", packed(t, packages, "canisterd-linux-x64-*.tgz"), packed(t, packages, "canisterd-[0-9]*.tgz"))
}

func TestThePackageOfNPMIsInstalledAndRemoved(t *testing.T) {
	dir := t.TempDir()
	lifecycle(t, installation{
		program: program{path: dir + "/node_modules/.bin/canisterd", dir: dir, argv: []string{node(t)}},
		install: func(packages string) { installFromNPM(t, dir, packages) },
		remove:  func() { do(t, dir, "npm", "uninstall", "--offline", "--no-audit", "--no-fund", "canisterd") },
	})
}

// node returns the path of Node.js, which is not where Debian has it.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTestRunnersOfJavaScriptStartNetworksAndReplacePocketIC(t *testing.T) {
	dir := t.TempDir()
	program{dir: dir}.at(t, ".")
	installFromNPM(t, dir, *packages)
	script := filepath.Join(dir, "network.test.mjs")
	if err := os.WriteFile(script, []byte(usesPackage), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, dir, node(t), "--test", script)
}

const usesPackage = `
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { exec, start } from "canisterd";

test("a network starts, deploys, answers and stops", async () => {
  const cwd = "motoko";
  const network = await start({ cwd, deploy: "." });
  const { stdout } = await exec(["canister", "call", "greeter", "greet", '("Ada")'], { cwd, env: network.env });
  assert.equal(stdout.trim(), '("Hello, Ada!")');
  await assert.rejects(exec(["canister", "call", "greeter", "nothing"], { cwd, env: network.env }), (error) => error.code === 2);
  await network.stop();
  await assert.rejects(exec(["status"], { env: network.env }), (error) => error.code !== 0 && error.stderr.includes("canisterd start"));
});

test("a process that does not stop its network ends, and the network with it", async () => {
  const url = execFileSync(process.execPath, ["--input-type=module", "--eval", ` + "`" + `
    import { start } from "canisterd";
    process.stdout.write((await start()).url);
  ` + "`" + `], { encoding: "utf8" });
  await assert.rejects(exec(["status", "--url", url]), (error) => error.stderr.includes("canisterd start"));
});

test("a network that cannot start says why", async () => {
  await assert.rejects(start({ listen: "nowhere" }), /nowhere/);
});

test("the import of canisterd/pocket-ic makes clients find PocketIC's server, until the process ends", () => {
  const path = execFileSync(process.execPath, ["--input-type=module", "--eval", ` + "`" + `
    import { pocketIc } from "canisterd/pocket-ic";
    import { execFileSync } from "node:child_process";
    if (process.env.POCKET_IC_BIN !== pocketIc) throw new Error("POCKET_IC_BIN is " + process.env.POCKET_IC_BIN);
    execFileSync(pocketIc, ["--version"]);
    process.stdout.write(pocketIc);
  ` + "`" + `], { encoding: "utf8" });
  assert.equal(existsSync(path), false);
});

test("the program has the exit code of canisterd", () => {
  for (const [args, code] of [[["version"], 0], [["--no-such-flag"], 1]]) {
    assert.equal(spawnSync("npx", ["--offline", "canisterd", ...args]).status, code);
  }
});
`
