package dev.quire.core.rule;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.net.InetAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The values that rules read. A value of a later phase must not be read in an earlier one: the
 * configuration is refused if a rule does so. Confined to one thread.
 */
public interface RuleValues {

    /** The request as the rules so far have changed it. */
    RequestHead request();

    /** The decoded path, one char for each byte. */
    String path();

    /** The decoded path, {@link dev.quire.core.http.UriPath#simplified simplified}. */
    String simplifiedPath();

    /** The client that sent the page's request. */
    InetAddress client();

    /** Whether the client's connection is from a trusted peer. */
    boolean isTrusted();

    /** The depth of the fragment; 0 for a page. */
    int level();

    /** The protocol of the page's request, such as {@code HTTP/1.1}. */
    String protocol();

    Instant now();

    /** Returns the value that a rule gave to {@code name}; null if none did. */
    @Nullable String variable(String name);

    /** The head of the response; null in the request phase. */
    @Nullable ResponseHead response();

    /** The outcome for the client, such as {@code hit}; empty before the delivery. */
    default String outcome() {
        return "";
    }

    /** The age of the response in seconds; 0 before the delivery. */
    default long ageSeconds() {
        return 0;
    }
}
