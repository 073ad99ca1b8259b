package dev.quire.proxy.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/**
 * Writes lines of the service log to {@link System#err}: time, level, event, {@code key=value} and
 * the message. A line cannot be ended or forged by what it quotes. Only internal errors have more
 * lines: their stack trace, indented by a tab. Thread-safe.
 */
final class ServiceLogger extends LegacyAbstractLogger implements LoggingEventAware {
    /** The key whose value is the name of the event. */
    private static final String EVENT = "event";

    private static final long serialVersionUID = 1;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final int threshold;

    /**
     * @param threshold the lowest level that is written
     */
    ServiceLogger(String name, Level threshold) {
        this.name = name;
        this.threshold = threshold.toInt();
    }

    @Override
    public void log(LoggingEvent event) {
        if (event.getLevel().toInt() < threshold) {
            return;
        }
        var pairs = event.getKeyValuePairs();
        write(
                event.getLevel(),
                pairs == null ? List.of() : pairs,
                message(event.getMessage(), event.getArgumentArray()),
                event.getThrowable());
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable fault) {
        write(level, List.of(), message(message, arguments), fault);
    }

    private static String message(@Nullable String message, Object @Nullable [] arguments) {
        return String.valueOf(MessageFormatter.basicArrayFormat(message, arguments));
    }

    private void write(
            Level level, List<KeyValuePair> pairs, String message, @Nullable Throwable fault) {
        System.err.print(text(Instant.now(), level, pairs, message, fault));
        System.err.flush();
    }

    String text(
            Instant time,
            Level level,
            List<KeyValuePair> pairs,
            String message,
            @Nullable Throwable fault) {
        var text = new StringBuilder(256);
        text.append(TIME.format(time)).append(' ').append(level).append(' ').append(event(pairs));
        for (var pair : pairs) {
            if (!pair.key.equals(EVENT)) {
                text.append(' ').append(pair.key).append('=');
                value(text, String.valueOf(pair.value));
            }
        }
        text.append(" message=");
        quoted(text, message);
        text.append('\n');
        if (fault != null) {
            for (var line : trace(fault)) {
                text.append('\t');
                escaped(text, line.strip());
                text.append('\n');
            }
        }
        return text.toString();
    }

    /**
     * A library's message has no event; its package tells whose it is. Details have none either.
     */
    private String event(List<KeyValuePair> pairs) {
        return pairs.stream()
                .filter(pair -> pair.key.equals(EVENT))
                .map(pair -> String.valueOf(pair.value))
                .findFirst()
                .orElseGet(() -> {
                    if (name.startsWith("dev.quire.")) {
                        return "detail";
                    }
                    var parts = new ArrayList<>(List.of(name.split("\\.")));
                    return "library-"
                            + parts.get(Math.min(1, parts.size() - 1)).toLowerCase(Locale.ROOT);
                });
    }

    private static List<String> trace(Throwable fault) {
        var trace = new StringWriter();
        fault.printStackTrace(new PrintWriter(trace));
        return trace.toString().lines().toList();
    }

    private static void value(StringBuilder text, String value) {
        boolean isPlain =
                !value.isEmpty()
                        && value.chars()
                                .allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\');
        if (isPlain) {
            text.append(value);
        } else {
            quoted(text, value);
        }
    }

    private static void quoted(StringBuilder text, String value) {
        text.append('"');
        escaped(text, value);
        text.append('"');
    }

    private static void escaped(StringBuilder text, String value) {
        value.codePoints()
                .forEach(c -> {
                    if (c == '"' || c == '\\') {
                        text.append('\\').append((char) c);
                    } else if (c < ' ' || (c >= 0x7f && c < 0xa0) || isInvisible(c)) {
                        text.append(String.format("\\u%04x", c));
                    } else {
                        text.appendCodePoint(c);
                    }
                });
    }

    /** Whether {@code c} could end a line, or change how the rest of it is shown. */
    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.FORMAT,
                    Character.SURROGATE ->
                    true;
            default -> false;
        };
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return threshold <= Level.TRACE.toInt();
    }

    @Override
    public boolean isDebugEnabled() {
        return threshold <= Level.DEBUG.toInt();
    }

    @Override
    public boolean isInfoEnabled() {
        return threshold <= Level.INFO.toInt();
    }

    @Override
    public boolean isWarnEnabled() {
        return threshold <= Level.WARN.toInt();
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }
}
