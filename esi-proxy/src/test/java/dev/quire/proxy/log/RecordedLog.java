package dev.quire.proxy.log;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** Keeps the lines that the service log would have, without their times. Thread-safe. */
public class RecordedLog extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1;
    private static final ServiceLogger FORM = new ServiceLogger("dev.quire.recorded", Level.INFO);

    private final transient List<String> lines = new CopyOnWriteArrayList<>();

    public RecordedLog() {
        name = "dev.quire.recorded";
    }

    /** The lines so far: level, event, keys with values, and the message. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void log(LoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        add(
                event.getLevel(),
                pairs == null ? List.of() : pairs,
                event.getMessage(),
                event.getArgumentArray(),
                event.getThrowable());
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable fault) {
        add(level, List.of(), message, arguments, fault);
    }

    private void add(
            Level level,
            List<KeyValuePair> pairs,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable fault) {
        var text = String.valueOf(MessageFormatter.basicArrayFormat(message, arguments));
        var line = FORM.text(Instant.EPOCH, level, pairs, text, fault);
        lines.add(line.substring(line.indexOf(' ') + 1).strip());
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public boolean isInfoEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }
}
