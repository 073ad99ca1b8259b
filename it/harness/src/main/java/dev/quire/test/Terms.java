package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.StorageDecision;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.test.internal.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether and how long a part may be stored: from the cache that stores it, else by the rules of
 * the proxy with default settings.
 */
record Terms(Part part, StorageDecision storing) {

    static Terms of(Part part, AssemblyTrace trace) {
        return new Terms(
                part,
                part.freshness()
                        .<StorageDecision>map(StorageDecision.Keep::new)
                        .orElseGet(() -> judged(part, trace)));
    }

    Optional<Freshness> freshness() {
        return storing instanceof StorageDecision.Keep(var freshness)
                ? Optional.of(freshness)
                : Optional.empty();
    }

    Optional<StorageRefusal> refusal() {
        return storing instanceof StorageDecision.Refuse(var reason)
                ? Optional.of(reason)
                : Optional.empty();
    }

    /** Why it is not stored for other readers, in words; empty if it is. */
    Optional<String> whyPrivate() {
        if (part.status() == 0) {
            return Optional.of("the application did not respond");
        }
        return refusal().map(this::described);
    }

    private String described(StorageRefusal reason) {
        return switch (reason) {
            case STATUS -> "status " + part.status() + " is not cacheable by default";
            case NO_STORE -> said("no-store");
            case PRIVATE -> said("private");
            case SET_COOKIE -> "it sets the cookie " + String.join(", ", cookiesSet());
            default -> reason.description();
        };
    }

    List<String> cookiesSet() {
        return part.fields().all("Set-Cookie").stream()
                .map(line -> line.split("=", 2)[0].strip())
                .toList();
    }

    /** Its caching fields, unchanged; never empty. */
    List<String> saidOfKeeping() {
        var lines = new ArrayList<String>();
        for (var name :
                List.of("Surrogate-Control", "CDN-Cache-Control", "Cache-Control", "Expires")) {
            part.fields().all(name).forEach(value -> lines.add(name + ": " + value));
        }
        return lines.isEmpty() ? List.of("no Surrogate-Control, no Cache-Control") : lines;
    }

    private String said(String directive) {
        return saidOfKeeping().stream()
                .filter(line -> line.contains(directive))
                .map(line -> line.substring(0, line.indexOf(':')))
                .findFirst()
                .orElse("it")
                .concat(" says " + directive);
    }

    private static StorageDecision judged(Part part, AssemblyTrace trace) {
        if (part.status() == 0) {
            return new StorageDecision.Refuse(StorageRefusal.STATUS);
        }
        var asked = trace.asked().fields();
        var credentials = new Fields.Builder();
        for (var name : List.of("Cookie", "Authorization")) {
            asked.all(name).forEach(value -> credentials.add(name, value));
        }
        return judged(
                String.valueOf(asked.first("Host")),
                part.target(),
                credentials.build(),
                new ResponseHead(part.status(), "", part.fields()),
                trace.at());
    }

    /** The decision of a cache with default settings on the response to a GET. */
    static StorageDecision judged(
            String host, String target, Fields sent, ResponseHead response, Instant now) {
        return CachePolicy.storing(
                new RequestHead("GET", Scheme.HTTP, host, target, sent),
                response,
                new ResponseTimes(now, now, now),
                Settings.DEFAULT);
    }
}
