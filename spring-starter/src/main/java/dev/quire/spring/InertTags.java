package dev.quire.spring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells developers of tags that stand in a document and will not run, because they bear no stamp:
 * once for each handler. Shared by all requests.
 */
final class InertTags {

    private static final Logger log = LoggerFactory.getLogger(InertTags.class);
    private static final String OPENING = "<esi:";
    private static final int MOST_HANDLERS = 1000;

    private final String mark;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    InertTags(Placeholder placeholder) {
        this.mark = placeholder.mark();
    }

    /** Looks at a document of {@code handler}. */
    void lookIn(String handler, HeldBytes document) {
        if (told.contains(handler) || told.size() >= MOST_HANDLERS) {
            return;
        }
        var text = document.text();
        int at = text.indexOf(OPENING);
        while (at >= 0 && text.startsWith(mark, at + OPENING.length())) {
            at = text.indexOf(OPENING, at + OPENING.length());
        }
        if (at >= 0 && told.add(handler)) {
            log.warn(
                    "{}: raw <esi: at byte {}, line {}, is inert. It bears no stamp, so anybody may have written it. Write it with the esi dialect, the tag library or Esi, or set quire.stamp.enabled=false (said once)",
                    handler,
                    at,
                    1 + text.substring(0, at).chars().filter(each -> each == '\n').count());
        }
    }
}
