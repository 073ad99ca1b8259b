package dev.quire.proxy.admin;

import java.util.List;

/**
 * The head of an admin API request.
 *
 * @param target as received
 * @param hosts every {@code Host} field
 * @param authorizations every {@code Authorization} field
 * @param contentType empty if absent
 * @param ifMatch empty if absent
 */
record AdminHead(
        String method,
        String target,
        List<String> hosts,
        List<String> authorizations,
        String contentType,
        String ifMatch) {

    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The query without the question mark; empty if absent. */
    String query() {
        int query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }
}
