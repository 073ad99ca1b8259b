package dev.quire.test;

import dev.quire.core.http.Fields;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A fragment of a page: how it came into it, and what the application said of it. */
public final class Fragment {
    private final Part part;

    Fragment(Part part) {
        this.part = part;
    }

    /** Path and query. */
    public String target() {
        return part.target();
    }

    /** How it came into the page. */
    public Part part() {
        return part;
    }

    /** What the application sent with it. */
    public Fields headers() {
        return part.fields();
    }

    /** What the application sent, ESI tags and all; empty where that is not known. */
    public Optional<String> html() {
        @Nullable Content body = part.body();
        return Optional.ofNullable(body).map(Content::text);
    }

    @Override
    public String toString() {
        return part.target() + " " + part.outcome();
    }
}
