package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Stamp;
import dev.quire.core.parse.ParseOptions.Tags;
import dev.quire.core.policy.StampStatus;
import org.jspecify.annotations.Nullable;

/**
 * The stamp status of a response. It is determined on arrival and kept after validations, since
 * only the stamp of the request proves the origin of the tags.
 *
 * @param stamp the stamp of the tags; in the store null unless the source is kept
 */
record StampTrust(StampStatus stampStatus, @Nullable Stamp stamp) {

    static final StampTrust UNSTAMPED = new StampTrust(StampStatus.UNSTAMPED, null);
    private static final StampTrust STAMPED = new StampTrust(StampStatus.STAMPED, null);
    private static final StampTrust INERT = new StampTrust(StampStatus.INERT, null);

    /** Which tags of the document are markup; only while its stamp is known. */
    Tags tags() {
        return switch (stampStatus) {
            case UNSTAMPED -> Tags.Unstamped.ALL;
            case STAMPED -> new Tags.Stamped(present());
            case INERT -> Tags.Unstamped.NONE;
        };
    }

    /** Which tags of the text of a document without stamps are markup. */
    Tags tagsOfText() {
        return stampStatus == StampStatus.UNSTAMPED ? Tags.Unstamped.ALL : Tags.Unstamped.NONE;
    }

    /** The same status without the stamp. */
    StampTrust withoutStamp() {
        return switch (stampStatus) {
            case UNSTAMPED -> UNSTAMPED;
            case STAMPED -> STAMPED;
            case INERT -> INERT;
        };
    }

    /** Returns {@code source}, an unprocessed document, without the stamps of its tags. */
    byte[] unstamped(byte[] source) {
        var bears = present().text();
        return text(source).replace(bears + ':', "").replace(bears, "").getBytes(ISO_8859_1);
    }

    /** Returns {@code source}, an unprocessed document, with another stamp of the same length. */
    byte[] restamped(byte[] source, Stamp other) {
        return text(source).replace(present().text(), other.text()).getBytes(ISO_8859_1);
    }

    private Stamp present() {
        if (stamp == null) {
            throw new IllegalStateException("no stamp: the document source is not stored");
        }
        return stamp;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }
}
