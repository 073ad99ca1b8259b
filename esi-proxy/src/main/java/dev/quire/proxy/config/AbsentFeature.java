package dev.quire.proxy.config;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A feature that other proxies have and this one does not, and what to do instead. */
enum AbsentFeature {
    TLS(
            "TLS is not available",
            "a terminator of TLS in front, with its address in trusted",
            "acme cert certificate certificates certs https https-port key-file private-key ssl tls"),
    HTTP2(
            "HTTP/2 and HTTP/3 are not available",
            "a proxy that speaks them in front, with its address in trusted",
            "h2 h2c http2 http3 quic"),
    PROXY_PROTOCOL(
            "the PROXY protocol is not available",
            "a proxy in front that sends X-Forwarded-For, with its address in trusted",
            "accept-proxy proxy-protocol"),
    COMPRESSION(
            "compression is a key of cache",
            "cache.compress",
            "br brotli compression deflate encode gzip zstd"),
    FIELDS(
            "fields of requests and responses cannot be configured",
            "the application, or a proxy in front, to set and remove them",
            "add-header add-headers cookies csp header headers hsts remove-header request-headers"
                    + " response-headers server-header set-header"),
    REWRITING(
            "requests are forwarded as they came, without rewriting or redirects",
            "the application, or a proxy in front, to do it",
            "redirect redirects replace rewrite rewrites strip-prefix url-rewrite"),
    LOGIN(
            "clients are not authenticated",
            "the application, or a proxy in front, to do it (admin.token-file is for the admin API)",
            "auth authentication authorization basic-auth basicauth forward-auth htpasswd jwt oauth"
                    + " oidc"),
    ADDRESSES(
            "clients are not filtered by address",
            "a firewall, or a proxy in front, to do it",
            "acl allow allowlist deny denylist ip-allow ip-deny whitelist"),
    RATES(
            "requests are not limited by rate",
            "listen.max-connections-per-client, or a proxy in front to do it",
            "limit-req rate-limit ratelimit throttle"),
    INCLUSION(
            "a configuration is one file",
            "all keys in one file, where ${NAME} is a value of the environment",
            "extends import imports include includes"),
    HOSTS("a route has one host pattern", "one route for each, with host", "hosts"),
    PATHS("a route has one path pattern", "one route for each, with path", "paths"),
    TIMEOUTS(
            "an origin has a limit for each wait",
            "its connect-timeout, first-byte-timeout or between-bytes-timeout",
            "proxy-read-timeout read-timeout timeout timeouts"),
    CONDITIONS(
            "routes depend on host and path only",
            "host and path",
            "country match method methods query when"),
    ERROR_PAGES(
            "error pages cannot be configured",
            "the pages of the origin, which are passed on",
            "error-page error-pages maintenance");

    private static final Map<String, AbsentFeature> BY_KEY = byKey();

    private final String what;
    private final String instead;
    private final String keys;

    AbsentFeature(String what, String instead, String keys) {
        this.what = what;
        this.instead = instead;
        this.keys = keys;
    }

    private static Map<String, AbsentFeature> byKey() {
        var all = new HashMap<String, AbsentFeature>();
        for (var feature : values()) {
            Arrays.stream(feature.keys.split(" ")).forEach(key -> all.put(key, feature));
        }
        return all;
    }

    /** The feature that {@code key} would be a key of, if it is a known one. */
    static Optional<AbsentFeature> of(String key) {
        return Optional.ofNullable(BY_KEY.get(key.toLowerCase(Locale.ROOT).replace('_', '-')));
    }

    /** States that it does not exist. */
    String what() {
        return what;
    }

    /** Completes "expected …" in the message. */
    String instead() {
        return instead;
    }
}
