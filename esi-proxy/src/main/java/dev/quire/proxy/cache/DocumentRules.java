package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.parse.Reading;
import dev.quire.core.parse.Reading.Tags;
import dev.quire.core.policy.CacheKey;
import java.util.Locale;
import java.util.Set;

/**
 * How ESI documents are read.
 *
 * @param contentTypes media types that may hold ESI, in lower case
 * @param resolver what their references may name
 * @param maxBytes a longer document is a failure
 * @param maxIncludes fragments of one document; those beyond are left out
 * @param markup how one in the notation of markup is read
 * @param isStrict whether a document with a fault in its markup is a failure
 */
public record DocumentRules(
        Set<String> contentTypes,
        ReferenceResolver resolver,
        long maxBytes,
        int maxIncludes,
        Reading markup,
        boolean isStrict) {

    public DocumentRules {
        contentTypes = Set.copyOf(contentTypes);
    }

    /** Whether the media type of {@code head} may hold ESI. */
    boolean mayHold(ResponseHead head) {
        return contentTypes.contains(mediaType(head));
    }

    /** How the body behind {@code head} is read, if {@code tags} are markup. */
    Reading reading(ResponseHead head, Tags tags) {
        var type = mediaType(head);
        boolean isJson = type.equals("application/json") || type.endsWith("+json");
        return (isJson ? markup.in(Reading.Notation.JSON) : markup).of(tags);
    }

    /** {@code page}, which came from {@code key} with {@code head}, as it is kept: of its text. */
    CompiledPage compiled(ParsedPage page, CacheKey key, ResponseHead head, Tags tags) {
        return CompiledPage.of(
                page.ofTextAlone(),
                key,
                new CompiledPage.Rules(resolver, reading(head, tags), maxIncludes));
    }

    /** Without parameters and in lower case; empty if the head names none. */
    private static String mediaType(ResponseHead head) {
        var type = head.fields().first("content-type");
        if (type == null) {
            return "";
        }
        int parameters = type.indexOf(';');
        var media = parameters < 0 ? type : type.substring(0, parameters);
        return media.strip().toLowerCase(Locale.ROOT);
    }
}
