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
