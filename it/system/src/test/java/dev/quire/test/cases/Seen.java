package dev.quire.test.cases;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;

/**
 * A request as it reached the origin.
 *
 * @param target path and query as received
 */
record Seen(String method, String authority, String target, Fields fields, Content body) {

    boolean isFor(String name) {
        return Targets.isFor(name, authority, target);
    }

    @Override
    public String toString() {
        return method + " " + target + " at " + authority;
    }
}
