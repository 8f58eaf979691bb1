/** The provider from which the first pass read each block; stored as long as the second pass may need it. */
export function createFirstReads() {
  const ranges: { after: bigint; upTo: bigint; provider: string }[] = [];
  return {
    note(after: bigint, upTo: bigint, provider: string) {
      const last = ranges.at(-1);
      if (last && last.provider === provider && last.upTo === after) last.upTo = upTo;
      else ranges.push({ after, upTo, provider });
      if (ranges.length > 1000) ranges.shift();
    },
    by: (after: bigint | undefined) =>
      (after === undefined
        ? undefined
        : ranges.findLast((range) => range.after <= after && after < range.upTo)?.provider) ?? ranges.at(-1)?.provider,
    /** The last block that the reader of the block after `after` read, if another read goes on from there. */
    endOf(after: bigint): bigint | undefined {
      const index = ranges.findLastIndex((range) => range.after <= after && after < range.upTo);
      return index === -1 || index === ranges.length - 1 ? undefined : ranges[index]?.upTo;
    },
  };
}
