package dev.quire.proxy.admin;

import java.util.List;

/**
 * The head of a request to the admin port.
 *
 * @param target as received
 * @param hosts every {@code Host} field
 * @param authorizations every {@code Authorization} field
 * @param contentType empty if there is none
 */
record AdminHead(
        String method,
        String target,
        List<String> hosts,
        List<String> authorizations,
        String contentType) {

    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** Without the question mark; empty if there is none. */
    String query() {
        int query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }
}
