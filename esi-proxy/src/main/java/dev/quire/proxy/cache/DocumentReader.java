package dev.quire.proxy.cache;

import dev.quire.core.parse.EsiParser;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Parses a stored response as an ESI document because an include demands it. */
public final class DocumentReader {
    private final PageStore store;
    private final CacheEvents events;

    public DocumentReader(PageStore store, CacheEvents events) {
        this.store = store;
        this.events = events;
    }

    /**
     * Returns {@code response} as an ESI document, or itself if it is one. Takes over the caller's
     * reference, and the caller owns one of the result. Returns null if it is too large or, in
     * strict mode, malformed; then the caller keeps its reference.
     */
    public @Nullable StoredResponse read(StoredResponse response, DocumentRules rules) {
        return response.compiled() != null
                ? response
                : store.inForm(
                        response, DerivedForm.Whole.DOCUMENT, source -> document(source, rules));
    }

    private DerivedForm.@Nullable Content document(StoredResponse source, DocumentRules rules) {
        if (source.length() > rules.maxBytes()) {
            return null;
        }
        // A judged document has lost its stamp, so its tags can no longer be verified.
        var tags = source.tagsOfText();
        var parser = new EsiParser(rules.reading(source.head(), tags));
        for (var piece : source.body().nioBuffers()) {
            parser.feed(piece);
        }
        var page = parser.finish();
        events.parsed(source.key(), page, rules.isStrict());
        if (rules.isStrict() && page.errors() > 0) {
            return null;
        }
        var text = new ByteArrayOutputStream(page.textBytes());
        page.forEachText(span -> text.writeBytes(source.copy(span.start(), span.end())));
        return new DerivedForm.Content(
                text.toByteArray(), rules.compiled(page, source.key(), source.head(), tags));
    }
}
