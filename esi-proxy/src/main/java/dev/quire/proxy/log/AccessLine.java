package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig.Fragments;
import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Formats an entry as one line of JSON (RFC 8259). Everything except visible ASCII is escaped, so a
 * request cannot end the line, forge another or control a terminal.
 */
final class AccessLine {
    private final Fragments listed;
    private final Duration slow;

    AccessLine(Fragments listed, Duration slow) {
        this.listed = listed;
        this.slow = slow;
    }

    /** Returns the line with its line feed. */
    byte[] of(AccessEntry entry) {
        var line = new StringBuilder(256);
        line.append("{\"time\":");
        string(line, entry.time().truncatedTo(ChronoUnit.MILLIS).toString());
        member(line, "client", entry.client());
        member(line, "method", entry.method());
        member(line, "url", entry.url());
        line.append(",\"status\":").append(entry.status());
        line.append(",\"bytes\":").append(entry.bytes());
        line.append(",\"total_ms\":");
        millis(line, entry.total());
        member(line, "outcome", entry.outcome());
        member(line, "reason", entry.reason());
        if (listed != Fragments.OFF) {
            fragments(line, entry);
        }
        return line.append("}\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private void fragments(StringBuilder line, AccessEntry entry) {
        line.append(",\"fragments\":[");
        var comma = "";
        for (var fragment : entry.fragments()) {
            if (isListed(fragment)) {
                line.append(comma).append("{\"url\":");
                string(line, fragment.url());
                member(line, "outcome", fragment.outcome());
                line.append(",\"ms\":");
                millis(line, fragment.took());
                line.append(",\"status\":").append(fragment.status());
                member(line, "error", fragment.error());
                line.append('}');
                comma = ",";
            }
        }
        line.append(']');
    }

    private boolean isListed(FragmentTrace fragment) {
        return switch (listed) {
            case OFF -> false;
            case SLOW -> fragment.took().compareTo(slow) >= 0;
            case ERRORS -> fragment.error() != null;
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
    private static void millis(StringBuilder line, Duration duration) {
        long micros = Math.max(0, TimeUnit.MICROSECONDS.convert(duration));
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
