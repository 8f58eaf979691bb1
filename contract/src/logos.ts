/** In base64 it fits into the body that the service and its proxies accept. */
export const MAX_LOGO_BYTES = 180 * 1024;
export const MAX_LOGO_PIXELS = 2_048;
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
