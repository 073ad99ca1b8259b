package dev.quire.spring;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells developers of tags that stand in a document and will not run, because they bear no stamp:
 * once for each handler, if one of its first documents has some. Shared by all requests.
 */
final class InertTags {

    private static final Logger log = LoggerFactory.getLogger(InertTags.class);
    private static final byte[] OPENING = "<esi:".getBytes(US_ASCII);
    private static final int MOST_HANDLERS = 1000;

    /** Of one handler; what developers have written themselves is in each of them. */
    private static final int MOST_DOCUMENTS = 16;

    private final byte[] mark;
    private final Map<String, Integer> documents = new ConcurrentHashMap<>();

    InertTags(Placeholder placeholder) {
        this.mark = placeholder.mark().getBytes(US_ASCII);
    }

    /** Looks at a document of {@code handler}. */
    void lookIn(String handler, HeldBytes document) {
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
