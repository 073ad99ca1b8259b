package dev.quire.proxy;

import org.jspecify.annotations.Nullable;

/**
 * The state of the store that several proxies share.
 *
 * @param servers their addresses, separated by a comma and a space
 * @param circuit 0 if it is used, 1 if one request tries whether it works, 2 if it does not
 * @param failure why it does not work, or what failed last; null if nothing has
 * @param connections that are open
 * @param waiting requests that it has not answered yet
 */
record StoreState(
        String servers, int circuit, @Nullable String failure, int connections, int waiting) {

    /** For operators. */
    String name() {
        return switch (circuit) {
            case 0 -> "on";
            case 1 -> "trying";
            default -> "away";
        };
    }
}
