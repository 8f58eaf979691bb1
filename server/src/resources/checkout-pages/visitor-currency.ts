import { DISPLAY_CURRENCIES, type DisplayCurrency } from '../../outside/prices/prices.ts';

/** Where each currency is paid with (ISO 3166), and the languages of one currency, which browsers name alone. */
const PLACES: Record<DisplayCurrency, string> = {
  USD: 'US PR GU VI AS MP UM EC SV PA TL FM MH PW TC VG',
  EUR: 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK AD MC ME SM VA XK GF GP MQ RE YT PM BL MF AX',
  AED: 'AE',
  GBP: 'GB GG IM JE',
  CHF: 'CH LI',
  JPY: 'JP ja',
  CAD: 'CA',
  AUD: 'AU KI NR TV CX CC NF',
  NZD: 'NZ CK NU TK PN',
  SEK: 'SE',
  NOK: 'NO SJ BV nb nn no',
  DKK: 'DK FO GL da fo kl',
  PLN: 'PL pl',
  CZK: 'CZ cs',
  HUF: 'HU hu',
  TRY: 'TR tr',
  RUB: 'RU',
  UAH: 'UA uk',
  GEL: 'GE ka',
  ILS: 'IL PS he',
  SAR: 'SA',
  KWD: 'KW',
  BHD: 'BH',
  INR: 'IN hi',
  PKR: 'PK',
  BDT: 'BD',
  LKR: 'LK si',
  CNY: 'CN',
  HKD: 'HK',
  TWD: 'TW',
  KRW: 'KR ko',
  SGD: 'SG',
  MYR: 'MY',
  THB: 'TH th',
  IDR: 'ID id',
  PHP: 'PH tl fil',
  VND: 'VN vi',
  BRL: 'BR',
  MXN: 'MX',
  CLP: 'CL',
  ARS: 'AR',
  ZAR: 'ZA',
  NGN: 'NG',
};

const BY_PLACE = new Map(
  DISPLAY_CURRENCIES.flatMap((currency) => PLACES[currency].split(' ').map((place) => [place, currency])),
);

/** `de-CH`, `zh-Hant-TW`, `es-419` or `ja`, with what follows the region ignored. */
const TAG = /^\s*([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2})(?=[-;\s]|$))?(?:[-;\s]|$)/i;
const MAX_TAGS = 10;

/**
 * The currency of the region that the visitor's browser names with its first language. The regions of other languages
 * say nothing: most browsers add `en-US` to every list.
 */
export function visitorCurrency(acceptLanguage = ''): DisplayCurrency | undefined {
  const tags = acceptLanguage.split(',', MAX_TAGS).map((tag) => TAG.exec(tag) ?? []);
  const language = tags[0]?.[1]?.toLowerCase();
  const region = tags.find(([, other, named]) => named && other?.toLowerCase() === language)?.[2];
  return BY_PLACE.get(region?.toUpperCase() ?? language ?? '');
}
