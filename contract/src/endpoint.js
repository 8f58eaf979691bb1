/**
 * Declares an endpoint, filling in what most of them share.
 *
 * `auth` and `envelope` stay literal in its type: a handler's caller and answer follow from them.
 */
export function endpoint(input) {
    return { errors: [], idempotent: false, ...input };
}
