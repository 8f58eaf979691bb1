import type { ReactNode } from 'react';

interface Choice {
  label: string;
  checked: boolean;
  choose: () => void;
}

/** Two radio buttons: everything, or a selection that is made below them. */
export function AllOrSome({ name, all, some }: { name: string; all: Choice; some: Choice }) {
  return (
    <>
      {[all, some].map(({ label, checked, choose }) => (
        <label key={label} className="flex items-center gap-2.5 text-sm">
          <input type="radio" name={name} className="size-4 accent-accent" checked={checked} onChange={choose} />
          {label}
        </label>
      ))}
    </>
  );
}

/** A check box with its text. */
export function Tick({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="flex items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}

/** A check box for each value. The chosen ones stay in the order in which they were chosen. */
export function TickList<Value extends string>({
  values,
  chosen,
  onChange,
  show,
}: {
  values: readonly Value[];
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
  show: (value: Value) => ReactNode;
}) {
  const others = (value: Value) =>
    chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
  return values.map((value) => (
    <Tick key={value} checked={chosen.includes(value)} onChange={() => onChange(others(value))}>
      {show(value)}
    </Tick>
  ));
}

/** A switch with its explanation. */
export function CheckBox({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="flex items-start gap-3 text-sm">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        <span className="font-medium">{label}</span>
        {hint && (
          <>
            <br />
            <span className="text-quiet">{hint}</span>
          </>
        )}
      </span>
    </label>
  );
}
