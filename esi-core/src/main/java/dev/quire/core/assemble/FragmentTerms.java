package dev.quire.core.assemble;

import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How one fragment is to be fetched and read: what its include says besides its address, evaluated.
 *
 * @param ttl its freshness lifetime, whatever it says itself; zero: it is not stored
 * @param staleFor how much longer it may be used while it is refreshed or its origin fails
 * @param mayBeStored whether it may be kept for others
 * @param timeout how long it is waited for; the include timeout if empty
 * @param followsRedirects whether a redirect is followed
 * @param method of the request
 * @param body of the request, one char for each byte
 * @param fields changes to the request's fields, in order, free of control characters
 * @param dca whether it is read as ESI; {@link Dca#ESI} only for the including document's own
 *     authority
 */
public record FragmentTerms(
        Optional<Duration> ttl,
        Optional<Duration> staleFor,
        boolean mayBeStored,
        Optional<Duration> timeout,
        boolean followsRedirects,
        String method,
        Optional<String> body,
        List<FieldEdit> fields,
        Dca dca) {

    /** Nothing special. */
    public static final FragmentTerms NONE =
            new FragmentTerms(
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    Optional.empty(),
                    true,
                    "GET",
                    Optional.empty(),
                    List.of(),
                    Dca.UNSAID);

    /** One change to the request's fields; the value of a removal is empty. */
    public record FieldEdit(Edit edit, String name, String value) {}

    public FragmentTerms {
        fields = List.copyOf(fields);
    }
}
