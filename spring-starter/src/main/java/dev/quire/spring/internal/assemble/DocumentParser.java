package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.ParseOptions.SourceFormat;
import dev.quire.core.policy.CacheKey;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.settings.QuireProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Parses documents according to the properties. Shared by all requests. */
final class DocumentParser {

    private final CompiledPage.Rules markup;
    private final CompiledPage.Rules json;
    private final Placeholder placeholder;
    private final boolean strict;
    private final LogOnce warnings;

    DocumentParser(QuireProperties.Fallback fallback, Placeholder placeholder, LogOnce warnings) {
        this.markup = rules(SourceFormat.MARKUP, fallback, placeholder);
        this.json = rules(SourceFormat.JSON, fallback, placeholder);
        this.placeholder = placeholder;
        this.strict = fallback.strict();
        this.warnings = warnings;
    }

    private static CompiledPage.Rules rules(
            SourceFormat notation, QuireProperties.Fallback fallback, Placeholder placeholder) {
        var escape =
                switch (fallback.escape()) {
                    case HTML -> Escape.MARKUP;
                    case NONE -> Escape.NONE;
                };
        var reading = new ParseOptions(notation, fallback.dialect(), false, escape);
        return new CompiledPage.Rules(
                ReferenceResolver.OWN_AUTHORITY,
                placeholder.isOn() ? reading.stamped(new Stamp(placeholder.secret())) : reading,
                fallback.maxIncludes());
    }

    /**
     * Returns {@code document} parsed for assembly.
     *
     * @param base base of relative references
     * @param contentType selects the notation of tags
     * @throws dev.quire.core.parse.UnsoundPageException in strict mode, if the document has faults;
     *     the message lists all of them
     */
    CompiledPage read(byte[] document, CacheKey base, @Nullable String contentType) {
        var rules = Documents.isJson(contentType) ? json : markup;
        var parser = new EsiParser(rules.reading());
        parser.feed(ByteBuffer.wrap(document));
        var page = parser.finish();
        if (strict) {
            page.requireSound(base.url());
        }
        for (var diagnostic : page.diagnostics()) {
            warnings.warn(base.path(), diagnostic.toString());
        }
        return CompiledPage.of(page, base, rules);
    }

    /** Returns {@code body}, which is not parsed, without stamps. */
    byte[] withoutStamps(byte[] body) {
        return placeholder.removedFrom(body);
    }
}
