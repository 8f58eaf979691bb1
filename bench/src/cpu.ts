import { readdirSync, readFileSync } from 'node:fs';

/** A tick of Linux is a hundredth of a second on all of its architectures. */
const TICK_MICROSECONDS = 10_000;

/** The CPU time of a process in microseconds, or null where Linux does not count it. */
export function cpuOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat && stat.own * TICK_MICROSECONDS;
}

/** The CPU time of the whole PostgreSQL server of this backend, or null if it runs on another machine. */
export function cpuOfServer(backend: number): number | null {
  const parent = statOf(backend)?.parent;
  const postmaster = parent === undefined ? null : statOf(parent);
  if (!postmaster?.name.startsWith('postgres')) return null;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const living = children.map((pid) => statOf(Number(pid))).filter((stat) => stat?.parent === parent);
  const ticks = living.reduce((sum, stat) => sum + (stat?.own ?? 0), postmaster.own + postmaster.ended);
  return ticks * TICK_MICROSECONDS;
}

function statOf(pid: number): { name: string; parent: number; own: number; ended: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name is in parentheses and may itself contain some.
  const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(text) ?? [];
  const fields = rest.split(' ');
  const sum = (from: number) => Number(fields[from]) + Number(fields[from + 1]);
  return { name, parent: Number(fields[1]), own: sum(11), ended: sum(13) };
}
