package dev.quire.spring.internal.stamp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns developers about tags that will not run because they have no stamp: once per handler, if
 * one of its first documents contains such tags. Shared by all requests.
 */
public final class InertTags {

    private static final Logger log = LoggerFactory.getLogger(InertTags.class);
    private static final byte[] OPENING = "<esi:".getBytes(US_ASCII);
    private static final int MOST_HANDLERS = 1000;

    /** Per handler; tags written by developers are in every document. */
    private static final int MOST_DOCUMENTS = 16;

    private final byte[] mark;
    private final Map<String, Integer> documents = new ConcurrentHashMap<>();

    public InertTags(Placeholder placeholder) {
        this.mark = placeholder.mark().getBytes(US_ASCII);
    }

    public void lookIn(String handler, HeldBytes document) {
        var looked = documents.getOrDefault(handler, 0);
        if (looked >= MOST_DOCUMENTS || (looked == 0 && documents.size() >= MOST_HANDLERS)) {
            return;
        }
        int at = document.indexOf(OPENING, 0);
        while (at >= 0 && document.has(mark, at + OPENING.length)) {
            at = document.indexOf(OPENING, at + OPENING.length);
        }
        if (at < 0) {
            documents.merge(handler, 1, Integer::sum);
        } else if (!Objects.equals(documents.put(handler, MOST_DOCUMENTS), MOST_DOCUMENTS)) {
            log.warn(
                    "{}: raw <esi: at byte {}, line {}, is inert. It has no stamp, so it may come from user content. Write it with the esi dialect, the tag library or Esi, or set quire.stamp.enabled=false (logged once)",
                    handler,
                    at,
                    document.lineAt(at));
        }
    }
}
