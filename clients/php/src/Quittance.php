<?php

declare(strict_types=1);

namespace Quittance;

/**
 * Calls the API with a secret key (`sk_test_…`, `sk_live_…`) or a login token (`ses_…`).
 *
 * Methods return the object inside `data` as an array. A POST has an idempotency key where the endpoint supports one.
 * What is safe to repeat is sent up to `maxRetries` times more, with jitter, after the time in `Retry-After`.
 */
final class Quittance
{
    /** What supports no `Idempotency-Key`: if its answer is lost, asking again would do it twice. */
    private const ONCE = '#^/v1/(auth/.*|public/checkout/.*|api-keys(/[^/]+/rotate)?|invitations|receipts/verify|webhooks/test|'
        . 'test_helpers/.*)$#D';
    /** PHP has one type for objects and lists. These are objects, also when they are empty. */
    private const OBJECTS = [
        'metadata', 'customer', 'open_amount', 'link', 'brand', 'email_notifications', 'session_defaults',
    ];
    /** A proxy or a limit per day may ask for hours, and the caller holds a customer's request open. */
    private const MAX_RETRY_AFTER_SECONDS = 30;

    private readonly string $baseUrl;
    private readonly \Closure $sleep;

    /**
     * @param ?string   $credential null for paths that need none
     * @param ?string   $mode       `live` or `test`, for login tokens only: a secret key has its own mode
     * @param ?callable $sleep      takes the seconds to wait, for tests
     */
    public function __construct(
        private readonly ?string $credential,
        string $baseUrl = 'http://localhost:3000',
        private readonly int $maxRetries = 2,
        private readonly float $timeout = 30,
        private readonly ?string $mode = null,
        ?callable $sleep = null,
    ) {
        if (!in_array(parse_url($baseUrl, PHP_URL_SCHEME), ['http', 'https'], true)) {
            throw new \InvalidArgumentException("baseUrl must be a URL like https://pay.example.com, not \"$baseUrl\".");
        }
        if ($credential !== null && str_starts_with($credential, 'whsec_')) {
            throw new \InvalidArgumentException(
                'This is a webhook signing secret. The client needs a secret key: sk_test_… or sk_live_….',
            );
        }
        if ($credential !== null && !preg_match('/^(sk_(test|live)|ses)_/', $credential)) {
            throw new \InvalidArgumentException('A secret key starts with sk_test_ or sk_live_, a login token with ses_.');
        }
        $this->baseUrl = preg_replace('#/v1$#D', '', rtrim($baseUrl, '/'));
        $this->sleep = ($sleep ?? static fn (float $seconds) => usleep((int) ($seconds * 1_000_000)))(...);
    }

    /**
     * The object at a path, or one page of a list: `data` and `pagination`.
     *
     * @param array<string, mixed> $query
     *
     * @return array<string, mixed>
     */
    public function get(string $path, array $query = []): array
    {
        return $this->call('GET', self::withQuery($path, $query));
    }

    /**
     * Creates or does something. A retry with the same key returns the first result.
     *
     * @param ?array<string, mixed> $body
     *
     * @return array<string, mixed>
     */
    public function post(string $path, ?array $body = null, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', $path, $body, $idempotencyKey);
    }

    /**
     * Changes the named fields.
     *
     * @param ?array<string, mixed> $body
     *
     * @return array<string, mixed>
     */
    public function patch(string $path, ?array $body = null): array
    {
        return $this->call('PATCH', $path, $body);
    }

    /**
     * Deletes the object at a path.
     *
     * @return array<string, mixed>
     */
    public function delete(string $path): array
    {
        return $this->call('DELETE', $path);
    }

    /**
     * Every object of a list, to its end, page by page.
     *
     * @param array<string, mixed> $query
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(string $path, array $query = []): \Generator
    {
        do {
            $page = $this->get($path, $query);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $query['cursor'] = $page['pagination']['cursor'];
        } while ($page['pagination']['has_more'] && $query['cursor'] !== null);
    }

    private function call(string $method, string $path, ?array $body = null, ?string $key = null): array
    {
        $isOnce = $method === 'POST' && preg_match(self::ONCE, explode('?', $path)[0]) === 1;
        // One key for all attempts, so that a retry gets the first attempt's result.
        $key = $method === 'POST' && !$isOnce ? $key ?? bin2hex(random_bytes(16)) : null;
        $mayBeDeleted = false;
        for ($attempt = 0; ; $attempt++) {
            try {
                $answer = $this->send($method, $path, $body, $key);

                return isset($answer['pagination']) ? $answer : $answer['data'] ?? $answer;
            } catch (QuittanceError | ConnectionError $error) {
                // An earlier attempt whose answer was lost has deleted it.
                if ($mayBeDeleted && $error instanceof NotFoundError) {
                    return ['id' => rawurldecode(basename($path)), 'deleted' => true];
                }
                $mayBeDeleted = $mayBeDeleted || ($method === 'DELETE' && !$error instanceof RateLimitError);
                $wait = $error instanceof QuittanceError ? $error->retryAfterSeconds ?? 0 : 0;
                $isTooLong = $wait > min(self::MAX_RETRY_AFTER_SECONDS, $this->timeout);
                if ($attempt >= $this->maxRetries || $isTooLong || !self::mayRetry($error, $isOnce)) {
                    throw $error;
                }
                ($this->sleep)(max(min(0.5 * 2 ** $attempt, 8) * (1 - random_int(0, 500) / 1_000), $wait));
            }
        }
    }

    private function send(string $method, string $path, ?array $body, ?string $key): array
    {
        // They are written into the request as they are, and may come from a customer.
        foreach ([$path, $key ?? '', $this->credential ?? '', $this->mode ?? ''] as $text) {
            if (preg_match('/[\x00-\x20\x7f]/', $text)) {
                throw new \InvalidArgumentException('Paths and keys have no spaces and no line ends: ' . json_encode($text));
            }
        }
        // Behind an address without a path, `@` and the like would name another host, which would get the key.
        if (!str_starts_with($path, '/')) {
            throw new \InvalidArgumentException('A path starts with a slash, such as /v1/payments, not ' . json_encode($path));
        }
        $headers = array_filter([
            'Accept: application/json',
            'Connection: close',
            $this->credential === null ? null : "Authorization: Bearer $this->credential",
            $this->mode === null ? null : "Service-Mode: $this->mode",
            $key === null ? null : "Idempotency-Key: $key",
            $body === null ? null : 'Content-Type: application/json',
        ]);
        $http = [
            'method' => $method,
            'header' => implode("\r\n", $headers),
            'protocol_version' => 1.1,
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            // A redirect would take the key to another address.
            'follow_location' => 0,
        ];
        if ($body !== null) {
            $http['content'] = json_encode((object) self::withObjects($body), JSON_THROW_ON_ERROR);
        }
        $http_response_header = [];
        $text = @file_get_contents($this->baseUrl . $path, false, stream_context_create(['http' => $http]));
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        if ($text === false || $status === 0) {
            $reason = error_get_last()['message'] ?? 'the connection was closed';
            throw new ConnectionError("$method $this->baseUrl$path got no response: $reason");
        }
        $answer = json_decode($text, true, 64);
        if ($status < 300 && is_array($answer)) {
            return $answer;
        }
        throw self::errorOf($status < 400 ? 502 : $status, $http_response_header, $answer['error'] ?? null);
    }

    /**
     * @param array<mixed> $body
     *
     * @return array<mixed>
     */
    private static function withObjects(array $body): array
    {
        foreach ($body as $name => $value) {
            if (is_array($value)) {
                $inner = self::withObjects($value);
                $body[$name] = in_array($name, self::OBJECTS, true) ? (object) $inner : $inner;
            }
        }

        return $body;
    }

    private static function mayRetry(\Throwable $error, bool $isOnce): bool
    {
        return $error instanceof RateLimitError || (!$isOnce && (
            $error instanceof ConnectionError
            || $error instanceof ServerError
            || ($error instanceof QuittanceError && $error->errorCode === 'idempotency_in_progress')
        ));
    }

    /** @param list<string> $headers */
    private static function errorOf(int $status, array $headers, mixed $fields): QuittanceError
    {
        $named = [];
        foreach ($headers as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $named[strtolower($name)] = trim($value);
        }
        $fields = is_array($fields) ? $fields : [];
        $retryAfter = $named['retry-after'] ?? '';
        $class = QuittanceError::classFor($status);

        return new $class(
            $fields['message'] ?? "The service answered $status without a readable body.",
            $status,
            $fields['code'] ?? 'unreadable_answer',
            $fields['param'] ?? null,
            $named['request-id'] ?? null,
            ctype_digit($retryAfter) ? (int) $retryAfter : null,
        );
    }

    private static function withQuery(string $path, array $query): string
    {
        $given = array_map(
            static fn (mixed $value) => match (true) {
                is_bool($value) => $value ? 'true' : 'false',
                $value instanceof \DateTimeInterface => $value->format(\DATE_ATOM),
                default => $value,
            },
            array_filter($query, static fn (mixed $value) => $value !== null),
        );

        return $given === [] ? $path : $path . '?' . http_build_query($given);
    }
}
