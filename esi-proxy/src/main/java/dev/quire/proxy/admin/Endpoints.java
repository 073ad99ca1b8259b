package dev.quire.proxy.admin;

import java.util.Optional;
import java.util.OptionalLong;

/** The requests that one listener of {@link AdminServer} answers. */
interface Endpoints {

    /** Returns the refusal of a request before its body is read, or nothing if it is allowed. */
    Optional<AdminAnswer> refusal(AdminHead head);

    /** Returns the response to a request that was not refused. Not on an event loop. */
    AdminAnswer answer(AdminHead head, byte[] body);

    /** The longest request body. */
    int maxBodyBytes();

    /** How long the response to an unauthorized request is delayed; empty to close without one. */
    OptionalLong delayNanos(long now);
}
