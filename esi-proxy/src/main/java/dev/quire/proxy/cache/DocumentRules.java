package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.ParseOptions.Tags;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import java.util.Set;

/**
 * The rules for parsing ESI documents.
 *
 * @param contentTypes media types that may contain ESI, in lower case
 * @param resolver resolves their references, or denies them
 * @param maxBytes a longer document is a failure
 * @param maxIncludes maximum number of fragments per document; further ones are omitted
 * @param markup how documents in markup notation are parsed
 * @param isStrict whether a document with a markup error is a failure
 */
public record DocumentRules(
        Set<String> contentTypes,
        ReferenceResolver resolver,
        long maxBytes,
        int maxIncludes,
        ParseOptions markup,
        boolean isStrict) {

    public DocumentRules {
        contentTypes = Set.copyOf(contentTypes);
    }

    /** Whether the media type of {@code head} may contain ESI. */
    boolean mayHold(ResponseHead head) {
        return contentTypes.contains(head.mediaType());
    }

    /** How a body with {@code head} is parsed, if {@code tags} are markup. */
    ParseOptions reading(ResponseHead head, Tags tags) {
        var type = head.mediaType();
        boolean isJson = type.equals("application/json") || type.endsWith("+json");
        return (isJson ? markup.in(ParseOptions.SourceFormat.JSON) : markup).of(tags);
    }

    /** Compiles {@code page}, received from {@code key} with {@code head}, for its stored text. */
    CompiledPage compiled(ParsedPage page, CacheKey key, ResponseHead head, Tags tags) {
        return CompiledPage.of(page.ofTextAlone(), key, compiling(head, tags));
    }

    /** How a document with {@code head} is compiled, if {@code tags} are markup. */
    CompiledPage.Rules compiling(ResponseHead head, Tags tags) {
        return new CompiledPage.Rules(resolver, reading(head, tags), maxIncludes);
    }

    /** Adds all of these rules to {@code sum}. */
    void addTo(RecordHash.Sum sum) {
        sum.add(contentTypes.size());
        contentTypes.stream().sorted().forEach(sum::add);
        sum.add(resolver.allowedHosts().size());
        resolver.allowedHosts().stream().sorted().forEach(sum::add);
        sum.add(maxBytes).add(maxIncludes).add(markup.toString()).add(isStrict ? 1 : 0);
    }
}
