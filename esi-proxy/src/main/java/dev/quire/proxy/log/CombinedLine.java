package dev.quire.proxy.log;

import dev.quire.proxy.exchange.AddressText;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats an entry in the combined format of Apache and nginx. A quote, a backslash and everything
 * except visible ASCII are escaped as Apache does: {@code \"}, {@code \\}, {@code \xHH}.
 */
final class CombinedLine implements LineFormat {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final LoggedUrls urls;

    CombinedLine(LoggedUrls urls) {
        this.urls = urls;
    }

    @Override
    public byte[] of(AccessEntry entry) {
        var request = entry.request();
        var response = entry.response();
        var line = new StringBuilder(256);
        line.append(AddressText.of(entry.client())).append(" - - [");
        TIME.formatTo(entry.time(), line);
        line.append("] ");
        quoted(line, requestLine(request));
        // Readers of this format expect three digits.
        line.append(' ').append(response.status() == 0 ? "000" : response.status());
        line.append(' ').append(response.bytes()).append(' ');
        quoted(line, urls.url(request.referrer()));
        line.append(' ');
        quoted(line, request.agent());
        return line.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
    }

    private @Nullable String requestLine(AccessEntry.Request request) {
        var target = urls.url(request.target());
        if (target == null) {
            return request.method();
        }
        return (request.method() == null ? "" : request.method() + ' ')
                + target
                + (request.protocol() == null ? "" : ' ' + request.protocol());
    }

    private static void quoted(StringBuilder line, @Nullable String value) {
        line.append('"');
        if (value == null) {
            line.append('-');
        } else {
            for (byte b : value.getBytes(charset(value))) {
                escaped(line, b & 0xff);
            }
        }
        line.append('"');
    }

    /** The bytes as received are ISO 8859-1 to us; other text is our own. */
    private static Charset charset(String value) {
        return value.chars().allMatch(c -> c <= 0xff)
                ? StandardCharsets.ISO_8859_1
                : StandardCharsets.UTF_8;
    }

    private static void escaped(StringBuilder line, int c) {
        if (c == '"' || c == '\\') {
            line.append('\\').append((char) c);
        } else if (c >= ' ' && c < 0x7f) {
            line.append((char) c);
        } else {
            line.append("\\x")
                    .append(Character.forDigit(c >> 4, 16))
                    .append(Character.forDigit(c & 15, 16));
        }
    }
}
