package dev.quire.proxy.cache;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.proxy.route.EsiMode;
import java.util.Locale;
import java.util.Set;

/**
 * How the responses of a route are taken in.
 *
 * @param contentTypes media types that may hold ESI, in lower case
 * @param maxObjectBytes a longer body is not stored
 * @param maxDocumentBytes a longer ESI document is a failure
 * @param maxIncludes fragments of one document; those beyond are left out
 */
public record IntakeRules(
        Settings settings,
        EsiMode esi,
        Set<String> contentTypes,
        ReferenceResolver resolver,
        long maxObjectBytes,
        long maxDocumentBytes,
        int maxIncludes) {

    public IntakeRules {
        contentTypes = Set.copyOf(contentTypes);
    }

    /**
     * Whether the body behind {@code head} is to be parsed (ESI 1.0 with Edge Architecture): never
     * one that is not there, or that is only a part.
     */
    public boolean isDocument(ResponseHead head) {
        boolean isWhole =
                switch (head.status()) {
                    case 204, 206, 304 -> false;
                    default -> true;
                };
        if (!isWhole || !mayBeParsed(head)) {
            return false;
        }
        return esi == EsiMode.ON
                || SurrogateControl.of(head.fields(), settings.deviceToken()).asksForEsi();
    }

    /** Whether route and media type allow parsing. */
    boolean mayBeParsed(ResponseHead head) {
        var type = head.fields().first("content-type");
        if (esi == EsiMode.OFF || type == null) {
            return false;
        }
        int parameters = type.indexOf(';');
        var media = parameters < 0 ? type : type.substring(0, parameters);
        return contentTypes.contains(media.strip().toLowerCase(Locale.ROOT));
    }
}
