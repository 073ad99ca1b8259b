package dev.quire.test.memory;

import dev.quire.core.http.ResponseHead;
import java.util.List;

/**
 * What a reader gets, and how it was made.
 *
 * @param isCut whether the body breaks off, as that of the application did
 * @param parts the page, then its fragments in the order they were asked for
 */
public record Served(ResponseHead head, Bytes body, boolean isCut, List<Asked> parts) {

    public Served {
        parts = List.copyOf(parts);
    }
}
