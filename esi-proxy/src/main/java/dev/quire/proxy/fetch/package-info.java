/**
 * Communication with origins: a connection pool per loop, one request at a time per connection,
 * deadlines, retries where they are safe, and strict parsing of responses. Other packages decide
 * which request to send, how to interpret the response, and how to handle a failure.
 */
@NullMarked
package dev.quire.proxy.fetch;

import org.jspecify.annotations.NullMarked;
