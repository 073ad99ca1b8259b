/**
 * Passes the listening sockets of a running process to the process that replaces it, over a Unix
 * socket. Does not find the other process, nor serve the sockets.
 */
@NullMarked
package dev.quire.proxy.handover;

import org.jspecify.annotations.NullMarked;
