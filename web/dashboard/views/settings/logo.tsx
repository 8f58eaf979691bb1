import { LOGO_TYPES, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '@quittance/contract/logos';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { ApiError, post } from '../../lib/api.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { LogoJson } from '../../lib/types.ts';
import { Button, Problem, TextField } from '../../ui/basic.tsx';

/** Larger files are no logos, and reading them would take long. */
const MAX_FILE_BYTES = 20 * 1024 ** 2;
/** A checkout shows it in 40 pixels. The first size whose file is small enough is sent. */
const SIDES = [512, 256, 128];
const AREA = 'flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-3';

/** Thrown for a file that the service could not use, before it is sent. */
class UnusableFileError extends Error {}

/** The merchant's logo: a picture that is uploaded, or the address of one elsewhere. */
export function LogoField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: ReactNode;
  onChange: (url: string) => void;
}) {
  const t = useT();
  const isUploaded = value.startsWith(`${location.origin}/logos/`);
  return (
    <>
      <Upload value={value} onChange={onChange} />
      <div className="sm:col-span-2">
        <TextField
          label={t('Logo (https URL)')}
          type="url"
          value={isUploaded ? '' : value}
          error={error}
          onChange={(event) => onChange(event.target.value)}
          placeholder="https://"
        />
      </div>
    </>
  );
}

function Upload({ value, onChange }: { value: string; onChange: (url: string) => void }) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const upload = useAct(
    async (file: File) => post<LogoJson>('/dashboard/api/logo', { picture: await toBase64(await fitted(file)) }),
    [],
  );
  const send = (file: File | undefined) => {
    if (file) upload.mutate(file, { onSuccess: ({ url }) => onChange(url) });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  const { error } = upload;
  const isUnusable = error instanceof UnusableFileError || (error instanceof ApiError && error.param === 'picture');
  return (
    <fieldset
      className="grid gap-1.5 sm:col-span-2"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <legend className="mb-1.5 text-sm font-medium">{t('Logo')}</legend>
      <div className={`${AREA} ${isOver ? 'border-accent bg-tint' : 'border-line'}`}>
        {value !== '' && (
          <img
            src={value}
            alt=""
            className="size-12 shrink-0 rounded-lg border border-line bg-surface object-contain"
          />
        )}
        <Button busy={upload.isPending} onClick={() => input.current?.click()}>
          {t('Choose a picture')}
        </Button>
        {value !== '' && (
          <Button kind="quiet" onClick={() => onChange('')}>
            {t('Remove the logo')}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          accept={LOGO_TYPES.join()}
          onChange={({ target }) => {
            send(target.files?.[0]);
            // The same file can be chosen again.
            target.value = '';
          }}
        />
        <p className="text-sm text-quiet">{t('Or drop one here: PNG, JPEG or WebP. A large one is made smaller.')}</p>
      </div>
      {isUnusable ? (
        <p role="alert" className="text-sm text-bad">
          {t('This file can’t be used. Choose a PNG, JPEG or WebP picture without animation, of at most 20 MB.')}
        </p>
      ) : (
        <Problem error={error} />
      )}
    </fieldset>
  );
}

/**
 * The picture as it is sent: drawn again if the service would find it too large, and upright, because what says how a
 * photo is held is not kept.
 */
async function fitted(file: File): Promise<Blob> {
  if (!LOGO_TYPES.some((type) => type === file.type) || file.size > MAX_FILE_BYTES) throw new UnusableFileError();
  const picture = await createImageBitmap(file).catch(() => {
    throw new UnusableFileError();
  });
  const longer = Math.max(picture.width, picture.height);
  if (file.type !== 'image/jpeg' && file.size <= MAX_LOGO_BYTES && longer <= MAX_LOGO_PIXELS) return file;
  for (const side of SIDES) {
    const scale = Math.min(1, side / longer);
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(picture.width * scale)),
      Math.max(1, Math.round(picture.height * scale)),
    );
    const context = canvas.getContext('2d');
    if (!context) break;
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const drawn = await canvas.convertToBlob({ type: file.type });
    if (drawn.size <= MAX_LOGO_BYTES) return drawn;
  }
  throw new UnusableFileError();
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(new UnusableFileError());
    reader.readAsDataURL(blob);
  });
}
