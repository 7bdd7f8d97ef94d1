/** The path of PocketIC's server that is canisterd; the import has set `POCKET_IC_BIN` to it. */
export const pocketIc: string;
