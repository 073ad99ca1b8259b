package dev.quire.it;

import dev.quire.test.wire.Answer;

/** The most frequent responses of the origins of these tests. */
final class Answers {
    static final String ESI = "content=\"ESI/1.0\"";

    private Answers() {}

    /** A page with ESI tags, fresh for a minute, without grace. */
    static Answer page(String document) {
        return page("max-age=60+0", document);
    }

    /** A page with ESI tags and {@code control} in Surrogate-Control. */
    static Answer page(String control, String document) {
        return Answer.html(document).field("Surrogate-Control", control + ", " + ESI);
    }

    /** A fragment without ESI tags, fresh for a minute, without grace. */
    static Answer fragment(String document) {
        return fragment("max-age=60+0", document);
    }

    /** A fragment without ESI tags, with {@code control} in Surrogate-Control. */
    static Answer fragment(String control, String document) {
        return Answer.html(document).field("Surrogate-Control", control);
    }

    /** A private fragment. */
    static Answer privately(String document) {
        return Answer.html(document).field("Cache-Control", "private, no-store");
    }

    static String include(String src) {
        return "<esi:include src=\"" + src + "\"/>";
    }
}
