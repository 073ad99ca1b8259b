package dev.quire.core.assemble;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import dev.quire.core.policy.RequestFields;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one fragment is fetched and read: its include's evaluated attributes, without src.
 *
 * @param ttl its freshness lifetime, overriding the response; zero: it is not stored
 * @param staleFor how much longer it may be served while it is refreshed or its origin fails
 * @param mayBeStored whether it may be stored for other clients
 * @param timeout for the whole fetch; empty: the include timeout
 * @param followsRedirects whether redirects are followed
 * @param method of the request
 * @param body of the request, one char for each byte
 * @param fields changes to the request's fields, in order, free of control characters
 * @param dca whether it is read as ESI; {@link Dca#ESI} only within the same authority
 * @param isStamped whether the application vouched for the include by a stamp
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
        Dca dca,
        boolean isStamped) {

    /** The defaults. */
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
                    Dca.UNSAID,
                    false);

    /** The maximum number of redirects followed for one fragment. */
    public static final int MAX_REDIRECTS = 3;

    /** The maximum length of a method, as for clients. */
    private static final int MAX_METHOD = 32;

    /**
     * One change to the request's fields; the value of a removal is empty.
     *
     * @param isFromReader whether the client's request determines its name or value, or whether it
     *     is made
     */
    public record FieldEdit(Edit edit, String name, String value, boolean isFromReader) {

        /** Creates a change that is the same for every request. */
        public FieldEdit(Edit edit, String name, String value) {
            this(edit, name, value, false);
        }

        /** Whether an include is allowed to make it ({@link RequestFields#mayBeEdited}). */
        public boolean isAllowed() {
            return FieldSyntax.isName(name)
                    && RequestFields.mayBeEdited(name)
                    && FieldSyntax.isValue(value);
        }
    }

    public FragmentTerms {
        fields = List.copyOf(fields);
    }

    /**
     * Returns the names, in lower case, of the fields whose edits depend on the client's request.
     */
    public List<String> fieldsFromReader() {
        return fields.isEmpty()
                ? List.of()
                : fields.stream()
                        .filter(FieldEdit::isFromReader)
                        .map(edit -> edit.name().toLowerCase(Locale.ROOT))
                        .distinct()
                        .toList();
    }

    /** Returns these terms without edits that are not allowed. */
    public FragmentTerms allowed() {
        // Most includes have no edits; this avoids streams for them.
        return fields.isEmpty() || fields.stream().allMatch(FieldEdit::isAllowed)
                ? this
                : with(fields.stream().filter(FieldEdit::isAllowed).toList());
    }

    /** Returns {@code request} with all edits applied, in order. */
    public Fields edited(Fields request) {
        var edited = request;
        for (var edit : fields) {
            edited =
                    switch (edit.edit()) {
                        case SET -> with(without(edited, edit.name()), edit);
                        case APPEND -> with(edited, edit);
                        case REMOVE -> without(edited, edit.name());
                    };
        }
        return edited;
    }

    /** Whether a response to the method has a body that can be part of a page. */
    public boolean isFetchable() {
        return switch (method) {
            case "HEAD", "CONNECT", "TRACE" -> false;
            default -> method.length() <= MAX_METHOD && FieldSyntax.isName(method);
        };
    }

    /**
     * Whether a response is a redirect to be followed.
     *
     * @param location the field of that name, or null if absent
     */
    public boolean follows(int status, @Nullable String location) {
        return followsRedirects
                && location != null
                && switch (status) {
                    case 301, 302, 303, 307, 308 -> true;
                    default -> false;
                };
    }

    /**
     * Returns the terms of the request that follows a redirect (RFC 9110 §15.4): 307 and 308 repeat
     * method and body, any other status makes it a GET. Edits and body are for one host: another
     * host gets no edits, and the result is empty if it would have to get the body.
     *
     * @param staysThere whether the target has the same scheme and authority
     */
    public Optional<FragmentTerms> redirected(int status, boolean staysThere) {
        boolean isRepeated = status == 307 || status == 308;
        if (isRepeated && !staysThere && body.isPresent()) {
            return Optional.empty();
        }
        var kept = staysThere ? fields : List.<FieldEdit>of();
        return Optional.of(isRepeated ? with(kept) : asGet(kept));
    }

    private FragmentTerms asGet(List<FieldEdit> edits) {
        return new FragmentTerms(
                ttl,
                staleFor,
                // A redirected POST leads to the result of the POST.
                mayBeStored && method.equals("GET") && body.isEmpty(),
                timeout,
                followsRedirects,
                "GET",
                Optional.empty(),
                edits.stream().filter(edit -> !RequestFields.isOfBody(edit.name())).toList(),
                dca,
                isStamped);
    }

    private FragmentTerms with(List<FieldEdit> edits) {
        return new FragmentTerms(
                ttl,
                staleFor,
                mayBeStored,
                timeout,
                followsRedirects,
                method,
                body,
                edits,
                dca,
                isStamped);
    }

    private static Fields without(Fields fields, String name) {
        return fields.contains(name) ? fields.without(name::equalsIgnoreCase) : fields;
    }

    private static Fields with(Fields fields, FieldEdit edit) {
        return new Fields.Builder().addAll(fields).add(edit.name(), edit.value()).build();
    }
}
