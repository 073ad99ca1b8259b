package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Stamp;
import dev.quire.core.parse.Reading.Tags;
import dev.quire.core.policy.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * How a response was judged as it arrived. That stays, whatever a validation says later: only who
 * sent the request it answers knows whose its tags are.
 *
 * @param stamp what they bear; in the store null unless the document is kept as it came
 */
record Judged(Verdict verdict, @Nullable Stamp stamp) {

    static final Judged UNSTAMPED = new Judged(Verdict.UNSTAMPED, null);
    private static final Judged STAMPED = new Judged(Verdict.STAMPED, null);
    private static final Judged INERT = new Judged(Verdict.INERT, null);

    /** Which tags of the document are markup; while its stamp is known. */
    Tags tags() {
        return switch (verdict) {
            case UNSTAMPED -> Tags.Unstamped.ALL;
            case STAMPED -> new Tags.Stamped(present());
            case INERT -> Tags.Unstamped.NONE;
        };
    }

    /** The same without the stamp. */
    Judged withoutStamp() {
        return switch (verdict) {
            case UNSTAMPED -> UNSTAMPED;
            case STAMPED -> STAMPED;
            case INERT -> INERT;
        };
    }

    /** {@code source}, the document as it came, with tags that nobody could tell from others. */
    byte[] unstamped(byte[] source) {
        var bears = present().text();
        return text(source).replace(bears + ':', "").replace(bears, "").getBytes(ISO_8859_1);
    }

    /** {@code source}, the document as it came, under another stamp; as long as it was. */
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
