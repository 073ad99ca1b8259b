package dev.quire.test.memory;

import dev.quire.core.assemble.FragmentTerms.FieldEdit;
import dev.quire.core.http.Fields;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Which fields of a request go up to the application, and which an include may change. */
final class FieldNames {
    /** Of one connection only, or answered on the way, or describing what is dropped. */
    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "content-length",
                    "expect",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** Would make the application answer another request than the one the cache key names. */
    private static final Set<String> OVERRIDES =
            Set.of(
                    "proxy",
                    "x-host",
                    "x-http-method",
                    "x-http-method-override",
                    "x-method-override",
                    "x-original-url",
                    "x-rewrite-url");

    /** What a surrogate says of a fragment's place; nobody else may. */
    private static final Set<String> PLACE = Set.of("x-esi-level", "x-esi-parent");

    /** Would make the answer another one than that to the request the cache key names. */
    private static final Set<String> ANSWER =
            Set.of(
                    "accept-encoding",
                    "host",
                    "if-match",
                    "if-modified-since",
                    "if-none-match",
                    "if-range",
                    "if-unmodified-since",
                    "range",
                    "via");

    /** Claims about who asked. */
    private static final Set<String> CLAIMS = Set.of("forwarded", "x-real-ip");

    private static final int MAX_METHOD = 32;

    private FieldNames() {}

    /** Whether a reader's field stays behind. */
    static boolean isDropped(String lower) {
        return HOP_BY_HOP.contains(lower)
                || OVERRIDES.contains(lower)
                || PLACE.contains(lower)
                || lower.startsWith("surrogate-");
    }

    /** Whether a field claims who asked: readers are strangers, and are not believed. */
    static boolean isClaim(String lower) {
        return CLAIMS.contains(lower) || lower.startsWith("x-forwarded-");
    }

    /** Credentials, and what tells of the reader or of where he has been. */
    static boolean isForOwnHostAlone(String lower) {
        return switch (lower) {
            case "cookie",
                    "authorization",
                    "esi-variant",
                    "referer",
                    "forwarded",
                    "x-forwarded-for",
                    "x-real-ip",
                    "client-cert",
                    "client-cert-chain",
                    "x-forwarded-client-cert" ->
                    true;
            default -> lower.startsWith("proxy-") || lower.startsWith("ssl-client");
        };
    }

    /** Whether an include may make {@code edit}. */
    static boolean mayBeMade(FieldEdit edit) {
        var lower = edit.name().toLowerCase(Locale.ROOT);
        return isName(edit.name())
                && edit.value()
                        .chars()
                        .allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff))
                && !isDropped(lower)
                && !ANSWER.contains(lower)
                && !isClaim(lower);
    }

    /** Whether a fragment may be asked for by {@code method}, whose answer has a body. */
    static boolean isMethod(String method) {
        return switch (method) {
            case "HEAD", "CONNECT", "TRACE" -> false;
            default -> method.length() <= MAX_METHOD && isName(method);
        };
    }

    /** {@code fields} with all of {@code edits} made, in order. */
    static Fields applied(Fields fields, List<FieldEdit> edits) {
        var edited = fields;
        for (var edit : edits) {
            edited =
                    switch (edit.edit()) {
                        case SET -> with(edited.without(edit.name()::equalsIgnoreCase), edit);
                        case APPEND -> with(edited, edit);
                        case REMOVE -> edited.without(edit.name()::equalsIgnoreCase);
                    };
        }
        return edited;
    }

    private static Fields with(Fields fields, FieldEdit edit) {
        return new Fields.Builder().addAll(fields).add(edit.name(), edit.value()).build();
    }

    /** Whether {@code name} can be the name of a field (RFC 9110 §5.1), spelt in one way only. */
    static boolean isName(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> isOfAToken(c) && c != '_');
    }

    static boolean isOfAToken(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
