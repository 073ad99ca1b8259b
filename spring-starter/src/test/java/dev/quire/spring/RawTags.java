package dev.quire.spring;

/** Documents with tags in them, as an application without the starter would write them. */
final class RawTags {

    private RawTags() {}

    /** {@code document} as it is, and a note to the request that its response has tags. */
    static String announced(String document) {
        TagWriter.current().noteTag();
        return document;
    }
}
