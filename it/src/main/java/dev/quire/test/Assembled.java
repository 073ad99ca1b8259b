package dev.quire.test;

import java.util.List;
import java.util.Optional;

/**
 * What a reader got, and how it was made.
 *
 * @param parts the page itself first, then its fragments in the order they were asked for; empty
 *     where whoever assembled it does not tell
 */
public record Assembled(Response response, Optional<List<Part>> parts) {

    public Assembled {
        parts = parts.map(List::copyOf);
    }
}
