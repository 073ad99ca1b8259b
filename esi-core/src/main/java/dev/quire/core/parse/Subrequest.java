package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.OnError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an include or eval asks for.
 *
 * @param src one char for each byte (ISO 8859-1), XML references decoded, not empty
 * @param alt likewise
 * @param parameters {@code <esi:param>}: to be appended to the query
 * @param isPrimary {@code primary="true"}: its status is the page's
 * @param escape how the fragment is written into its place; empty if the author has not said
 * @param replacements {@code <esi:replace>}: what stands for regions of the fragment
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

    /** A call with an address and nothing else. */
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
     * How the fragment is to be fetched and read, as written.
     *
     * @param ttl its freshness lifetime, whatever it says itself; zero: it is not stored
     * @param staleFor how much longer it may be used while it is refreshed or its origin fails
     *     ({@code max-age="N+M"})
     * @param isStored false: {@code no-store="on"}
     * @param timeout how long it is waited for ({@code maxwait}, {@code timeout})
     * @param followsRedirects false: {@code redirect="no"}
     * @param method empty for GET
     * @param body of the request ({@code entity}, {@code <esi:request_body>})
     * @param fields changes to the request's fields, in order
     * @param dca whether it is read as ESI
     * @param region the only {@code <esi:fragment>} of it that is wanted
     * @param select a CSS selector: the only part of it that is wanted
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

        /** Nothing special. */
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
     * @param field {@code Name: value}; of a removal the name alone
     */
    public record FieldEdit(Edit edit, Template field) {}

    /** What happens to a field. */
    public enum Edit {
        SET,
        APPEND,
        REMOVE
    }

    /** Whether a fragment is read as ESI. */
    public enum Dca {
        /** As its own response says. */
        UNSAID,
        /** It is text. */
        NONE,
        /** It is an ESI document. */
        ESI
    }
}
