package dev.quire.spring;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.parse.Reading;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads documents as the properties say. Shared by all requests. */
final class DocumentReader {

    private final QuireProperties.Fallback fallback;
    private final SaidOnce warnings;

    DocumentReader(QuireProperties.Fallback fallback, SaidOnce warnings) {
        this.fallback = fallback;
        this.warnings = warnings;
    }

    /**
     * {@code document}, ready to be assembled.
     *
     * @param base where relative references of it start
     * @param contentType says in which notation tags stand
     * @throws IllegalStateException in strict mode, if something in it is not as it should be; the
     *     message lists all of it
     */
    CompiledPage read(byte[] document, CacheKey base, @Nullable String contentType) {
        var notation =
                Documents.isJson(contentType) ? Reading.Notation.JSON : Reading.Notation.MARKUP;
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(document));
        var page = parser.finish();
        if (fallback.strict()) {
            requireSound(page, base);
        }
        for (var diagnostic : page.diagnostics()) {
            warnings.warn(base.path(), diagnostic.toString());
        }
        return CompiledPage.of(page, base, ReferenceResolver.OWN_AUTHORITY, fallback.maxIncludes());
    }

    private static void requireSound(ParsedPage page, CacheKey base) {
        if (page.errors() > 0) {
            throw new IllegalStateException(
                    base.url()
                            + page.diagnostics().stream()
                                    .map(Object::toString)
                                    .collect(Collectors.joining("\n  ", "\n  ", "")));
        }
    }
}
