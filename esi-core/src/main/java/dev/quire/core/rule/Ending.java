package dev.quire.core.rule;

import dev.quire.core.http.Fields;

/**
 * The end or interruption of the request phase by a rule. {@link Check} and {@link Login} are
 * carried out elsewhere; the phase continues if they admit the request.
 */
public sealed interface Ending {

    /** The name of the rule. */
    String rule();

    /**
     * A redirect.
     *
     * @param status 301, 302, 303, 307 or 308
     * @param location a URL or an absolute path
     */
    record Redirect(String rule, int status, String location) implements Ending {}

    /** A response of the configuration. */
    record Respond(String rule, FixedAnswer answer, Fields fields) implements Ending {}

    /** A refusal; {@code status} is 4xx or 5xx. */
    record Deny(String rule, int status) implements Ending {}

    /**
     * A check whether a rate is exceeded.
     *
     * @param by selects the bucket
     */
    record Check(String rule, RateLimit limit, String by) implements Ending {}

    /** A check of the client's credentials. */
    record Login(String rule, Credentials credentials) implements Ending {}
}
