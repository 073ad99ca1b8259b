package dev.quire.proxy.admin;

import java.nio.file.Path;

/** The reply to a request for the listening sockets. */
public sealed interface HandoverReply {

    /** The sockets are offered for a limited time on a Unix socket. */
    record Offered(Path socket) implements HandoverReply {}

    /** Not at present. */
    record Conflict(String what, String expected) implements HandoverReply {}

    /** Not on this machine. */
    record Unavailable(String what, String expected) implements HandoverReply {}
}
