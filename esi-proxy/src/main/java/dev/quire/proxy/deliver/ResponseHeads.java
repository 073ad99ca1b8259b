package dev.quire.proxy.deliver;

import dev.quire.core.assemble.PageHead;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.ForwardedFields;
import dev.quire.core.policy.ResponseFields;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.HeadText.Coding;
import dev.quire.proxy.exchange.HeadLines;
import dev.quire.proxy.exchange.ResponseChannel;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Defines the status and field lines of each kind of response. Each method begins a head and leaves
 * it open for Age and Cache-Status.
 */
final class ResponseHeads {

    private static final ResponseHead UNSATISFIABLE =
            new ResponseHead(416, "Range Not Satisfiable", Fields.EMPTY);

    private ResponseHeads() {}

    /**
     * A stored response as stored or decoded, or in gzip without Content-Length.
     *
     * @param bodyBytes length of the body if it follows at once, otherwise 0
     */
    static HeadLines stored(
            ResponseChannel to, StoredResponse response, boolean inGzip, int bodyBytes) {
        return response.isDecoded()
                ? stored(to, response, inGzip ? Coding.GZIP : Coding.UNDONE)
                : to.head(response.status(), response.text(), inGzip, bodyBytes);
    }

    /**
     * A stored ESI document for a surrogate that assembles it.
     *
     * @param stamp the stamp of its tags, if they carry the stamp of this request
     */
    static HeadLines unassembled(ResponseChannel to, StoredResponse source, @Nullable Stamp stamp) {
        var out = stored(to, source, stamp == null ? Coding.AS_IT_CAME : Coding.RESTAMPED);
        HeadText.surrogateControl(out, source.head());
        if (stamp != null) {
            out.line("Surrogate-Control", "stamp=\"" + stamp.text() + '"');
        }
        return out;
    }

    private static HeadLines stored(ResponseChannel to, StoredResponse response, Coding coding) {
        var head = response.head();
        var out = to.head(head);
        HeadText.stored(out, head, response.length(), false, coding);
        return out;
    }

    /**
     * 206 with parts of a body (RFC 9110 §15.3.7).
     *
     * @param whole the head of the whole body
     */
    static HeadLines parts(ResponseChannel to, ResponseHead whole, BodyParts parts, Coding coding) {
        var out = to.head(206);
        HeadText.part(out, whole, parts.contentType(), coding);
        var contentRange = parts.contentRange();
        if (contentRange != null) {
            out.line("Content-Range", contentRange);
        }
        HeadText.contentLength(out, parts.lengthBytes());
        return out;
    }

    /** 416: no requested range overlaps the body (RFC 9110 §15.5.17). */
    static HeadLines unsatisfiable(ResponseChannel to, long completeBytes, Instant wall) {
        var out = to.head(UNSATISFIABLE);
        out.line(HeadText.DATE, HttpDate.format(wall));
        out.line("Content-Range", "bytes */" + completeBytes);
        HeadText.contentLength(out, 0);
        HeadText.via(out);
        return out;
    }

    /** 304 in place of a response in {@code coding} (RFC 9110 §15.4.5). */
    static HeadLines notModified(ResponseChannel to, ResponseHead head, Coding coding) {
        var out = to.head(304);
        for (var name : ResponseFields.OF_NOT_MODIFIED) {
            var lower = name.toLowerCase(Locale.ROOT);
            for (var value : head.fields().all(name)) {
                HeadText.line(out, name, lower, value, coding);
            }
        }
        HeadText.varying(out, head.fields().all("Vary"), coding);
        HeadText.via(out);
        return out;
    }

    /** 304 in place of an assembled page. */
    static HeadLines notModified(
            ResponseChannel to, PageHead.Snapshot<StoredResponse> snapshot, Instant wall) {
        var out = to.head(304);
        var coding = Coding.asItCame(snapshot.page().isCompressible());
        for (var name : ResponseFields.OF_NOT_MODIFIED_PAGE) {
            var lower = name.toLowerCase(Locale.ROOT);
            for (var value : snapshot.page().head().fields().all(name)) {
                HeadText.line(out, name, lower, value, coding);
            }
            for (var field : snapshot.amendment().fields()) {
                if (field.name().equalsIgnoreCase(name)) {
                    HeadText.line(out, name, lower, field.value(), coding);
                }
            }
        }
        HeadText.varying(
                out, HeadText.varies(snapshot.page().head(), snapshot.amendment()), coding);
        HeadText.via(out);
        ofAPage(out, snapshot, wall);
        return out;
    }

    /**
     * An assembled page.
     *
     * @param wall its Date: the page is created now, regardless of the age of its parts
     */
    static HeadLines page(
            ResponseChannel to,
            PageHead.Snapshot<StoredResponse> snapshot,
            Instant wall,
            boolean isCompressed) {
        var page = snapshot.page();
        HeadLines out;
        if (snapshot.amendment().changesHead()) {
            out =
                    snapshot.status() == page.status()
                            ? to.head(page.head())
                            : to.head(snapshot.status());
            HeadText.amended(
                    out,
                    page.head(),
                    snapshot.amendment(),
                    isCompressed ? Coding.GZIP : Coding.asItCame(page.isCompressible()));
        } else {
            out = stored(to, page, isCompressed && page.isCompressible(), 0);
        }
        ofAPage(out, snapshot, wall);
        return out;
    }

    /** Writes the lines of a page that are new in each response. */
    private static void ofAPage(
            HeadLines out, PageHead.Snapshot<StoredResponse> snapshot, Instant wall) {
        out.line(HeadText.DATE, HttpDate.format(wall));
        out.line(HeadText.CACHE_CONTROL, snapshot.cacheControl());
        var tag = snapshot.tag();
        if (tag != null) {
            out.line(HeadText.ETAG, tag);
        }
        if (!snapshot.varies().isEmpty()) {
            out.line("Vary", String.join(", ", snapshot.varies()));
        }
    }

    /**
     * A streamed response.
     *
     * @param isUnassembled whether it is the head of a page that would have been assembled: its
     *     length and validators are not those of the assembled page
     * @param wall its Date, if it has none
     */
    static HeadLines passing(
            ResponseChannel to,
            ResponseHead head,
            boolean isUnassembled,
            Coding coding,
            Instant wall) {
        var out = to.head(head);
        HeadText.passing(out, head, isUnassembled, coding);
        date(out, head, wall);
        return out;
    }

    /** A 101 of the origin, without the fields that belong to a connection. */
    static HeadLines switching(ResponseChannel to, ResponseHead head) {
        var out = to.head(head);
        ForwardedFields.forwardable(head.fields())
                .forEach((name, value) -> {
                    if (ResponseFields.goesToClients(name)) {
                        out.line(name, value);
                    }
                });
        HeadText.via(out);
        return out;
    }

    /** Adds a Date to a forwarded response without one (RFC 9110 §6.6.1). */
    static void date(HeadLines out, ResponseHead head, Instant wall) {
        if (!head.fields().contains("date")) {
            out.line(HeadText.DATE, HttpDate.format(wall));
        }
    }

    /** A redirect by a rule. */
    static HeadLines redirect(ResponseChannel to, int status, String location, Instant wall) {
        var out = to.head(status);
        out.line(HeadText.DATE, HttpDate.format(wall));
        out.line("Location", location);
        HeadText.contentLength(out, 0);
        return out;
    }

    /** A response of the configuration. */
    static HeadLines fixed(
            ResponseChannel to, FixedAnswer answer, int bodyBytes, Fields fields, Instant wall) {
        var out = to.head(answer.status());
        out.line(HeadText.DATE, HttpDate.format(wall));
        var type = answer.type();
        if (type != null) {
            out.line("Content-Type", type);
        }
        if (!fields.contains("Cache-Control")) {
            out.line(HeadText.CACHE_CONTROL, "no-store");
        }
        fields.forEach(out::line);
        if (answer.status() != 204 && answer.status() != 304) {
            HeadText.contentLength(out, bodyBytes);
        }
        return out;
    }

    /**
     * The response to {@code OPTIONS *}: the capabilities of the whole server (RFC 9110 §9.3.7).
     */
    static void options(ResponseChannel to, Instant wall) {
        var out = to.head(204);
        out.line(HeadText.DATE, HttpDate.format(wall));
        out.line("Allow", RequestHead.ALLOWED_METHODS);
    }

    static void age(HeadLines out, StoredResponse response, Instant now) {
        if (response.isShared()) {
            HeadText.age(out, response.freshness().ageAt(now).toSeconds());
        }
    }
}
