package dev.quire.spring;

import dev.quire.spring.internal.stamp.TagWriter;

/** Documents with tags, as an application without the starter would write them. */
final class RawTags {

    private RawTags() {}

    /** Returns {@code document} unchanged and records in the request that its response has tags. */
    static String announced(String document) {
        TagWriter.current().noteTag();
        return document;
    }
}
