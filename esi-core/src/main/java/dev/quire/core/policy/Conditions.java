package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A client's conditions, answered from a stored response (RFC 9111 §4.3.2, RFC 9110 §13). */
public final class Conditions {
    private static final String WEAK = "W/";

    private Conditions() {}

    /**
     * Whether a 304 answers {@code request} in place of {@code stored}. Only for GET and HEAD, and
     * only where the answer would have been a 2xx. If-Modified-Since is not looked at beside an
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
     * Whether a 304 answers {@code request} in place of an assembled page whose entity tag is
     * {@code tag}. Only for GET and HEAD. If-Modified-Since is not looked at: no date says when a
     * page last changed whose fragments come and go, some with older ones in their place.
     */
    public static boolean isNotModified(RequestHead request, String tag) {
        return request.fields().contains("If-None-Match")
                && (request.isGet() || request.isHead())
                && isNamed(request.fields(), tag);
    }

    /** Whether two entity tags are the same but for their strength (RFC 9110 §8.8.3.2). */
    static boolean matchWeakly(String one, String other) {
        return opaque(one).equals(opaque(other));
    }

    /** Whether both are the same strong entity tag (RFC 9110 §8.8.3.2). */
    static boolean matchStrongly(String one, @Nullable String other) {
        return !one.startsWith(WEAK) && one.equals(other);
    }

    private static boolean isNamed(Fields request, @Nullable String tag) {
        for (var line : request.all("If-None-Match")) {
            if (line.strip().equals("*") || (tag != null && names(line, tag))) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code tag} is a member of {@code line}; a tag knows no escapes, unlike strings. */
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

    /** Behind the quoted part that starts at {@code start}, if there is one, the next comma. */
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

    /** Last-Modified, or without one Date, is not later than {@code since}. */
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
