/** Code or data as it was sent, in its own scrolling area. It reads from left to right in every language. */
export function CodeBlock({ text, className = '' }: { text: string; className?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <pre className={`overflow-auto rounded-lg bg-raised p-3 font-mono text-xs ${className}`} dir="ltr" tabIndex={0}>
      {text}
    </pre>
  );
}
