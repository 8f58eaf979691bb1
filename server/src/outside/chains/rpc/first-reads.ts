/** Which provider the first pass read a block from; kept as long as the second pass may come by. */
export function createFirstReads() {
  const kept: { after: bigint; upTo: bigint; provider: string }[] = [];
  return {
    note(after: bigint, upTo: bigint, provider: string) {
      const last = kept.at(-1);
      if (last && last.provider === provider && last.upTo === after) last.upTo = upTo;
      else kept.push({ after, upTo, provider });
      if (kept.length > 1000) kept.shift();
    },
    by: (after: bigint | undefined) =>
      (after === undefined
        ? undefined
        : kept.findLast((range) => range.after <= after && after < range.upTo)?.provider) ?? kept.at(-1)?.provider,
  };
}
