package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Evaluates a client's conditions against a stored response (RFC 9111 §4.3.2, RFC 9110 §13). */
public final class Conditions {
    private static final String WEAK = "W/";

    private Conditions() {}

    /**
     * Whether {@code request} gets a 304 instead of {@code stored}. Only for GET and HEAD, and only
     * if the response would have been a 2xx. If-Modified-Since is ignored if there is an
     * If-None-Match.
     */
    public static boolean isNotModified(RequestHead request, ResponseHead stored) {
        if (!request.isGet() && !request.isHead()) {
            return false;
        }
        if (stored.status() < 200 || stored.status() > 299) {
            return false;
        }
        if (request.fields().contains("If-None-Match")) {
            return isNamed(request.fields(), stored.fields().first("ETag"));
        }
        var since = request.fields().first("If-Modified-Since");
        return since != null && isUnmodifiedSince(since, stored.fields());
    }

    /**
     * Whether {@code request} gets a 304 instead of an assembled page with the entity tag {@code
     * tag}. Only for GET and HEAD. If-Modified-Since is ignored: a page has no meaningful
     * modification date, since fragments are removed or replaced by older ones.
     */
    public static boolean isNotModified(RequestHead request, String tag) {
        return request.fields().contains("If-None-Match")
                && (request.isGet() || request.isHead())
                && isNamed(request.fields(), tag);
    }

    /** Whether two entity tags are equal in a weak comparison (RFC 9110 §8.8.3.2). */
    static boolean matchWeakly(String one, String other) {
        return opaque(one).equals(opaque(other));
    }

    /** Whether two entity tags are equal in a strong comparison (RFC 9110 §8.8.3.2). */
    static boolean matchStrongly(String one, @Nullable String other) {
        return !one.startsWith(WEAK) && one.equals(other);
    }

    /**
     * Whether the client of the 304 {@code response} has its strong tag in weak form alone, as with
     * a body that was compressed in passing.
     */
    public static boolean isKnownWeakly(RequestHead request, ResponseHead response) {
        var tag = response.status() == 304 ? response.fields().first("ETag") : null;
        if (tag == null || tag.startsWith(WEAK)) {
            return false;
        }
        var known = FieldList.members(request.fields().all("If-None-Match"));
        return known.contains(WEAK + tag) && !known.contains(tag);
    }

    private static boolean isNamed(Fields request, @Nullable String tag) {
        for (var line : request.all("If-None-Match")) {
            if (line.strip().equals("*") || (tag != null && names(line, tag))) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code tag} is a member of {@code line}; unlike strings, tags have no escapes. */
    private static boolean names(String line, String tag) {
        int start = 0;
        while (start < line.length()) {
            char c = line.charAt(start);
            if (c == ',' || FieldList.isSpace(c)) {
                start++;
                continue;
            }
            int end = endOfTag(line, start);
            if (matchWeakly(line.substring(start, end).strip(), tag)) {
                return true;
            }
            start = end;
        }
        return false;
    }

    /** Returns the index of the next comma after the tag at {@code start}, quoted or not. */
    private static int endOfTag(String line, int start) {
        int open = line.startsWith(WEAK, start) ? start + WEAK.length() : start;
        boolean isQuoted = open < line.length() && line.charAt(open) == '"';
        int close = isQuoted ? line.indexOf('"', open + 1) : -1;
        int comma = line.indexOf(',', close < 0 ? start : close);
        return comma < 0 ? line.length() : comma;
    }

    private static String opaque(String tag) {
        return tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
    }

    /** Whether Last-Modified, or without one Date, is not later than {@code since}. */
    private static boolean isUnmodifiedSince(String since, Fields stored) {
        var modified = stored.first(stored.contains("Last-Modified") ? "Last-Modified" : "Date");
        if (modified == null) {
            return false;
        }
        Optional<Instant> limit = HttpDate.parse(since);
        Optional<Instant> changed = HttpDate.parse(modified);
        return limit.isPresent() && changed.isPresent() && !changed.get().isAfter(limit.get());
    }
}
