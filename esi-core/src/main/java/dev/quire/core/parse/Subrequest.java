package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.OnError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The request an include or eval makes.
 *
 * @param src one char for each byte (ISO 8859-1), XML references decoded, not empty
 * @param alt likewise
 * @param parameters {@code <esi:param>}: appended to the query
 * @param isPrimary {@code primary="true"}: its status becomes the page's
 * @param escape how the fragment is written into its place; empty if not given
 * @param replacements {@code <esi:replace>}: the new content of regions of the fragment
 */
public record Subrequest(
        Template src,
        Optional<Template> alt,
        OnError onError,
        boolean isPrimary,
        List<Parameter> parameters,
        Terms terms,
        Optional<Escape> escape,
        List<Replacement> replacements) {

    public Subrequest {
        parameters = List.copyOf(parameters);
        replacements = List.copyOf(replacements);
    }

    /** Returns a request with addresses only. */
    public static Subrequest of(Template src, Optional<Template> alt, OnError onError) {
        return new Subrequest(
                src, alt, onError, false, List.of(), Terms.NONE, Optional.empty(), List.of());
    }

    /** {@code <esi:param name value/>}. */
    public record Parameter(Template name, Template value) {}

    /** {@code <esi:replace fragment="region">content</esi:replace>}. */
    public record Replacement(String region, List<EsiNode> content) {
        public Replacement {
            content = List.copyOf(content);
        }
    }

    /**
     * How the fragment is fetched and read, as written in the tag.
     *
     * @param ttl its freshness lifetime, overriding the response; zero: it is not stored
     * @param staleFor how much longer it may be served while it is refreshed or its origin fails
     *     ({@code max-age="N+M"})
     * @param isStored false: {@code no-store="on"}
     * @param timeout for the whole fetch ({@code maxwait}, {@code timeout})
     * @param followsRedirects false: {@code redirect="no"}
     * @param method empty for GET
     * @param body of the request ({@code entity}, {@code <esi:request_body>})
     * @param fields changes to the request's fields, in order
     * @param dca whether it is read as ESI
     * @param region the {@code <esi:fragment>} of it to include; empty for all
     * @param select a CSS selector of the part of it to include; empty for all
     */
    public record Terms(
            Optional<Duration> ttl,
            Optional<Duration> staleFor,
            boolean isStored,
            Optional<Duration> timeout,
            boolean followsRedirects,
            Optional<Template> method,
            Optional<Template> body,
            List<FieldEdit> fields,
            Dca dca,
            Optional<String> region,
            Optional<String> select) {

        /** The defaults. */
        public static final Terms NONE =
                new Terms(
                        Optional.empty(),
                        Optional.empty(),
                        true,
                        Optional.empty(),
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Dca.UNSAID,
                        Optional.empty(),
                        Optional.empty());

        public Terms {
            fields = List.copyOf(fields);
        }
    }

    /**
     * One change to the request's fields.
     *
     * @param field {@code Name: value}; for a removal only the name
     */
    public record FieldEdit(Edit edit, Template field) {}

    /** The kinds of change to a field. */
    public enum Edit {
        SET,
        APPEND,
        REMOVE
    }

    /** Whether a fragment is read as ESI. */
    public enum Dca {
        /** Not given: its response decides. */
        UNSAID,
        /** It is text. */
        NONE,
        /** It is an ESI document. */
        ESI
    }
}
