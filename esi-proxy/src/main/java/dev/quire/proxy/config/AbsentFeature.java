package dev.quire.proxy.config;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A feature that other proxies have and this one does not, and what to do instead. */
enum AbsentFeature {
    TLS(
            "the certificates of TLS are keys of tls",
            "listen.https, and tls.certificates with cert and key of each (no acme yet)",
            "acme cert certificate certificates certs https https-port key-file private-key ssl tls"),
    HTTP2(
            "HTTP/2 is agreed in TLS, and h2c is a key of listen; HTTP/3 is not available",
            "listen.https, listen.h2c, and the limits in http2",
            "h2 h2c http2 http3 quic"),
    PROXY_PROTOCOL(
            "the PROXY protocol is a key of listen",
            "listen.proxy-protocol, a list of networks",
            "accept-proxy proxy-protocol"),
    COMPRESSION(
            "compression is a key of cache",
            "cache.compress",
            "br brotli compression deflate encode gzip zstd"),
    FIELDS(
            "fields are set and removed by rules",
            "set, add and unset in rules.request, rules.response or rules.deliver",
            "add-header add-headers cookies csp header headers hsts remove-header request-headers"
                    + " response-headers server-header set-header"),
    REWRITING(
            "URLs are changed and redirected by rules",
            "path, query, host or redirect in rules.request",
            "redirect redirects replace rewrite rewrites strip-prefix url-rewrite"),
    LOGIN(
            "clients are authenticated by rules, with names and passwords",
            "auth in rules.request (admin.token-file is for the admin API)",
            "auth authentication authorization basic-auth basicauth forward-auth htpasswd jwt oauth"
                    + " oidc"),
    ADDRESSES(
            "clients are refused by rules",
            "a rule of rules.request with match: { client: … } and deny",
            "acl allow allowlist deny denylist ip-allow ip-deny whitelist"),
    RATES(
            "requests are limited by rules",
            "limit in rules.request",
            "limit limit-req rate-limit ratelimit throttle"),
    INCLUSION(
            "a file is included by a key of the root",
            "include: a file name, or a pattern such as conf.d/*.yml",
            "extends import imports include includes"),
    HOSTS("a route has one host pattern", "one route for each, with host", "hosts"),
    PATHS("a route has one path pattern", "one route for each, with path", "paths"),
    TIMEOUTS(
            "an origin has a limit for each wait",
            "its connect-timeout, first-byte-timeout or between-bytes-timeout",
            "proxy-read-timeout read-timeout timeout timeouts"),
    CONDITIONS(
            "routes depend on host and path only, rules on more",
            "host and path, or a rule of rules.request with match",
            "country match method methods query when"),
    ERROR_PAGES(
            "error pages are a key of the root",
            "error-pages, or respond in rules.request",
            "error-page error-pages errors intercept-errors maintenance");

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
