package dev.quire.spring.internal.assemble;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that writes each warning once: a fault in a document recurs in every request for it. Shared
 * by all requests. It remembers a bounded number of sentences of bounded length; beyond that it
 * logs nothing.
 */
public final class LogOnce {

    private static final int MOST_SENTENCES = 1000;
    private static final int MOST_CHARS = 300;

    private final Logger log;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private LogOnce(Logger log) {
        this.log = log;
    }

    /** Returns a log under the name of {@code speaker}. */
    public static LogOnce of(Class<?> speaker) {
        return new LogOnce(LoggerFactory.getLogger(speaker));
    }

    /** Logs {@code what} about the document at {@code path}, if not logged before. */
    public void warn(String path, String what) {
        var sentence = onOneLine(path + ": " + what);
        if (said.size() < MOST_SENTENCES && said.add(sentence)) {
            log.warn("{} (logged once)", sentence);
        }
    }

    /**
     * Returns the start of {@code text} on one line: page content may contain control characters.
     */
    private static String onOneLine(String text) {
        var line = new StringBuilder(Math.min(text.length(), MOST_CHARS));
        for (int i = 0; i < text.length() && i < MOST_CHARS; i++) {
            line.append(Character.isISOControl(text.charAt(i)) ? ' ' : text.charAt(i));
        }
        return line.toString();
    }
}
