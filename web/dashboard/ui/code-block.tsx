/** Code or data as it was sent, in its own scrolling area. */
export function CodeBlock({ text, className = '' }: { text: string; className?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <pre className={`overflow-auto rounded-lg bg-raised p-3 font-mono text-xs ${className}`} tabIndex={0}>
      {text}
    </pre>
  );
}
