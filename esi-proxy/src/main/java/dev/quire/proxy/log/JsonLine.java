package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig.Fragments;
import dev.quire.proxy.exchange.AddressText;
import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import dev.quire.proxy.exchange.TierSearch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Formats an entry as one line of JSON (RFC 8259). Everything except visible ASCII is escaped, so a
 * request cannot end the line, forge another or control a terminal.
 */
final class JsonLine implements LineFormat {
    private static final int SWITCHING_PROTOCOLS = 101;

    /** The outcomes of which the response was stored. */
    private static final Set<String> FROM_STORE = Set.of("hit", "stale-hit", "stale");

    private final Fragments listed;
    private final Duration slow;
    private final LoggedUrls urls;

    JsonLine(Fragments listed, Duration slow, LoggedUrls urls) {
        this.listed = listed;
        this.slow = slow;
        this.urls = urls;
    }

    @Override
    public byte[] of(AccessEntry entry) {
        var line = new StringBuilder(512);
        line.append("{\"time\":");
        string(line, entry.time().truncatedTo(ChronoUnit.MILLIS).toString());
        var id = entry.id();
        member(line, "id", id == null ? null : id.text());
        member(line, "client", AddressText.of(entry.client()));
        request(line, entry.request());
        response(line, entry.response());
        handling(line, entry.handling());
        if (entry.connections() > 0) {
            line.append(",\"connections\":").append(entry.connections());
        } else if (listed != Fragments.OFF) {
            fragments(line, entry.handling());
        }
        return line.append("}\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private void request(StringBuilder line, AccessEntry.Request request) {
        var target = urls.url(request.target());
        member(line, "method", request.method());
        if (request.scheme() != null && request.host() != null && target != null) {
            member(line, "url", request.scheme() + "://" + request.host() + target);
        }
        member(line, "host", request.host());
        member(line, "target", target);
        member(line, "proto", request.protocol());
        member(line, "ua", request.agent());
        member(line, "referer", urls.url(request.referrer()));
    }

    private static void response(StringBuilder line, AccessEntry.Response response) {
        line.append(",\"status\":").append(response.status());
        line.append(",\"bytes\":").append(response.bytes());
        if (response.status() == SWITCHING_PROTOCOLS) {
            line.append(",\"bytes_received\":").append(response.tunnelBytes());
        }
        line.append(",\"total_ms\":");
        millis(line, response.totalNanos());
        if (response.firstNanos() >= 0) {
            line.append(",\"ttfb_ms\":");
            millis(line, response.firstNanos());
        }
    }

    private void handling(StringBuilder line, AccessEntry.Handling handling) {
        if (handling.originNanos() >= 0) {
            line.append(",\"origin_ms\":");
            millis(line, handling.originNanos());
        }
        member(line, "server", handling.server());
        member(line, "outcome", handling.outcome());
        member(line, "reason", urls.text(handling.reason()));
        member(line, "not_stored", handling.notStored());
        tier(line, handling.outcome(), handling.search());
    }

    private static void tier(StringBuilder line, String outcome, @Nullable TierSearch search) {
        if (FROM_STORE.contains(outcome)) {
            member(line, "tier", TierSearch.tierAfter(search));
        }
        if (search != null) {
            line.append(",\"tier_ms\":");
            millis(line, search.nanos());
        }
    }

    private void fragments(StringBuilder line, AccessEntry.Handling handling) {
        line.append(",\"fragments\":[");
        var comma = "";
        for (var fragment : handling.fragments()) {
            if (isListed(fragment)) {
                line.append(comma).append("{\"url\":");
                string(line, String.valueOf(urls.url(fragment.url())));
                member(line, "outcome", fragment.outcome());
                line.append(",\"ms\":");
                millis(line, fragment.took().toNanos());
                line.append(",\"status\":").append(fragment.status());
                member(line, "error", urls.text(fragment.error()));
                tier(line, fragment.outcome(), fragment.search());
                line.append('}');
                comma = ",";
            }
        }
        line.append(']');
    }

    private boolean isListed(FragmentTrace fragment) {
        boolean isSlow = fragment.took().compareTo(slow) >= 0;
        boolean hasFailed = fragment.error() != null;
        return switch (listed) {
            case OFF -> false;
            case SLOW -> isSlow;
            case ERRORS -> hasFailed;
            case PROBLEMS -> isSlow || hasFailed;
            case ALL -> true;
        };
    }

    private static void member(StringBuilder line, String name, @Nullable String value) {
        if (value != null) {
            line.append(",\"").append(name).append("\":");
            string(line, value);
        }
    }

    /** Milliseconds with three decimal places. */
    private static void millis(StringBuilder line, long nanos) {
        long micros = Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos));
        line.append(micros / 1000).append('.');
        long rest = micros % 1000;
        line.append(rest / 100).append(rest / 10 % 10).append(rest % 10);
    }

    private static void string(StringBuilder line, String value) {
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c >= ' ' && c < 0x7f) {
                line.append(c);
            } else {
                line.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        line.append('"');
    }
}
