package dev.quire.it;

import dev.quire.test.Answer;

/** What the origins of these tests say most often. */
final class Answers {
    static final String ESI = "content=\"ESI/1.0\"";

    private Answers() {}

    /** A page with ESI tags, fresh for a minute and then of no use. */
    static Answer page(String document) {
        return page("max-age=60+0", document);
    }

    /** A page with ESI tags that the surrogate may keep as {@code control} says. */
    static Answer page(String control, String document) {
        return Answer.html(document).field("Surrogate-Control", control + ", " + ESI);
    }

    /** A fragment without ESI tags, fresh for a minute and then of no use. */
    static Answer fragment(String document) {
        return fragment("max-age=60+0", document);
    }

    /** A fragment without ESI tags that the surrogate may keep as {@code control} says. */
    static Answer fragment(String control, String document) {
        return Answer.html(document).field("Surrogate-Control", control);
    }

    /** A reader's own fragment. */
    static Answer privately(String document) {
        return Answer.html(document).field("Cache-Control", "private, no-store");
    }

    static String include(String src) {
        return "<esi:include src=\"" + src + "\"/>";
    }
}
