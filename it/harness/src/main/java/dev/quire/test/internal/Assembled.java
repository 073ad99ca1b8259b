package dev.quire.test.internal;

import dev.quire.test.wire.Response;
import java.util.List;
import java.util.Optional;

/**
 * The response a reader got, and its parts.
 *
 * @param parts the page itself first, then its fragments in request order; empty if the assembler
 *     does not report them
 */
public record Assembled(Response response, Optional<List<Part>> parts) {

    public Assembled {
        parts = parts.map(List::copyOf);
    }
}
