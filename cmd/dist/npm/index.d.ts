/** The path of the binary of this platform. */
export const binary: string;

export interface ExecOptions {
  /** The directory in which the command runs. */
  cwd?: string;
  /** Variables beside those of this process, such as the `env` of a network. */
  env?: Record<string, string>;
}

/**
 * Runs a command of canisterd and resolves to what it printed.
 * It rejects if the exit code is not 0; the error has `code`, `stdout` and `stderr`.
 */
export function exec(args: string[], options?: ExecOptions): Promise<{ stdout: string; stderr: string }>;

export interface StartOptions {
  /** The directory in which the daemon runs. */
  cwd?: string;
  /** Where the network is kept. Without it, the network is lost when the daemon stops. */
  stateDir?: string;
  /** The address to listen on; by default a free port of this computer. */
  listen?: string;
  /** A directory with a canisterd.yaml, whose canisters are deployed before the network is returned. */
  deploy?: string;
  /** More flags of `canisterd start`, such as `["--seed", "07"]`. */
  args?: string[];
}

export interface Network {
  /** Where agents find the network, such as `http://127.0.0.1:41943`. */
  url: string;
  /** Where gRPC clients find the control API: `127.0.0.1:41943`. */
  control: string;
  /** Variables with which commands of canisterd and tests find the network. */
  env: Record<string, string>;
  /** Stops the daemon and waits until it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a network and resolves when it answers. It rejects with the log if the daemon cannot start, and as `exec` does if
 * its canisters cannot be deployed. The network ends with this process.
 */
export function start(options?: StartOptions): Promise<Network>;
