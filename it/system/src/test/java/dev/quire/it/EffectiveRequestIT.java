package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * For an origin whose response is a function of scheme, authority, target and the fields that its
 * Vary names, no client gets a response made for other values (RFC 9111 §4.1), neither directly nor
 * by an include of a page.
 */
class EffectiveRequestIT {
    private static final int REQUESTS = 1500;

    private static final List<String> NAMES =
            List.of(
                    "Accept-Language",
                    "Origin",
                    "X-Plain",
                    "X-Forwarded-Proto",
                    "X-Forwarded-Host",
                    "X-Forwarded-Prefix",
                    "X-Forwarded-Port",
                    "X-Original-Host",
                    "X-Scheme",
                    "Front-End-Https",
                    "Client-Cert",
                    "X-Remote-User",
                    "Remote-User",
                    "X-Auth-Request-Email",
                    "SSL-Client-Cert",
                    "Forwarded");

    private static final List<String> NEVER_CLAIMED =
            List.of("Accept-Language", "Origin", "X-Plain");

    /** Pages by their paths, and what they include with the name of a field appended. */
    private static final Map<String, String> PAGES =
            Map.of("/own/", "/", "/plain/", "http://partner/", "/tls/", "https://partner/");

    private final Origin origin = Origin.start().otherwise(EffectiveRequestIT::answer);

    @AfterEach
    void stop() {
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noClientGetsAResponseForOtherValues(boolean isTrusted) {
        var random = new Random(17);
        var setup = RunningProxy.inFrontOf(origin).with("esi", "{ allowed-hosts: [partner] }");
        if (isTrusted) {
            setup.with("trusted", "[127.0.0.0/8]").with("trusted-fields", "[X-Forwarded-Prefix]");
        }
        try (var proxy = setup.start();
                var wire = proxy.connect()) {
            int port = proxy.http().getPort();
            for (int i = 0; i < REQUESTS; i++) {
                var target =
                        pick(random, "/", "/own/", "/plain/", "/tls/")
                                + NAMES.get(random.nextInt(NAMES.size()));
                var host = pick(random, "LocalHost:" + port, "shop", "Shop:80", "partner");
                var sent = fields(random);
                var lines =
                        new ArrayList<>(List.of("GET " + target + " HTTP/1.1", "Host: " + host));
                if (isTrusted) {
                    lines.add("X-Forwarded-For: 192.0.2.7");
                }
                sent.forEach((name, value) -> lines.add(name + ": " + value));

                var response = wire.send(String.join("\r\n", lines) + "\r\n\r\n").response();

                assertThat(response.text())
                        .as("%s", lines)
                        .isEqualTo(expected(target, host, sent, isTrusted));
            }
            assertThat(origin.requests()).hasSizeLessThan(REQUESTS * 2 / 3);
        }
    }

    private static Map<String, String> fields(Random random) {
        var fields = new TreeMap<String, String>();
        for (var name : NAMES) {
            if (random.nextInt(4) == 0) {
                fields.put(
                        name, name.equals("X-Forwarded-Proto") ? "https" : pick(random, "a", "b"));
            }
        }
        if (random.nextInt(3) == 0) {
            fields.put("Connection", "keep-alive, " + NEVER_CLAIMED.get(random.nextInt(3)));
        }
        return fields;
    }

    /** The response that the rules of docs/operating.md give, derived without the proxy's code. */
    private static String expected(
            String target, String host, Map<String, String> sent, boolean isTrusted) {
        var name = target.substring(target.lastIndexOf('/') + 1);
        boolean isHttps = isTrusted && sent.containsKey("X-Forwarded-Proto");
        var lower = host.toLowerCase(Locale.ROOT);
        var authority = !isHttps && lower.endsWith(":80") ? lower.replace(":80", "") : lower;
        boolean isOwn = authority.equals("partner");
        if (target.startsWith("/plain/") && !isOwn) {
            return ofOtherHost(name, "http", sent);
        }
        if (target.startsWith("/tls/") && !(isOwn && isHttps)) {
            return ofOtherHost(name, "https", sent);
        }
        var value =
                switch (name) {
                    case "X-Forwarded-Proto" -> isHttps ? "https" : "http";
                    case "X-Forwarded-Host" -> authority;
                    case "X-Forwarded-Prefix" -> isTrusted ? sent.get(name) : null;
                    case "Accept-Language", "Origin", "X-Plain" -> forwarded(name, sent);
                    default -> null;
                };
        var prefix = isTrusted ? sent.get("X-Forwarded-Prefix") : null;
        return text(isHttps ? "https" : "http", authority, value, prefix);
    }

    /** Another host sees its own scheme and name, and few fields of the client. */
    private static String ofOtherHost(String name, String scheme, Map<String, String> sent) {
        var value =
                switch (name) {
                    case "X-Forwarded-Proto" -> scheme;
                    case "X-Forwarded-Host" -> "partner";
                    case "Accept-Language" -> forwarded(name, sent);
                    default -> null;
                };
        return text(scheme, "partner", value, null);
    }

    private static @Nullable String forwarded(String name, Map<String, String> sent) {
        return sent.getOrDefault("Connection", "").endsWith(name) ? null : sent.get(name);
    }

    private static Answer answer(ReceivedRequest request) {
        int slash = request.path().lastIndexOf('/');
        var name = request.path().substring(slash + 1);
        var included = PAGES.get(request.path().substring(0, slash + 1));
        if (included != null) {
            return Answer.html("<esi:include src=\"" + included + name + "\"/>")
                    .field("Surrogate-Control", "content=\"ESI/1.0\"")
                    .field("Cache-Control", "max-age=600");
        }
        return Answer.html(
                        text(
                                String.valueOf(request.field("X-Forwarded-Proto")),
                                String.valueOf(request.field("Host")),
                                request.field(name),
                                // Part of the key, so the response may depend on it without Vary.
                                request.field("X-Forwarded-Prefix")))
                .field("Cache-Control", "max-age=600")
                .field("Vary", name);
    }

    private static String text(
            String scheme, String authority, @Nullable String value, @Nullable String prefix) {
        return scheme + " " + authority + " " + value + (prefix == null ? "" : " " + prefix);
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
