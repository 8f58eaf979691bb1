import { Attention } from './attention.tsx';
import { Onboarding } from './onboarding.tsx';

/** What stands above the chart: the first steps, and what needs the merchant. In a file that is loaded with the data. */
export default function Above() {
  return (
    <>
      <Onboarding />
      <Attention />
    </>
  );
}
