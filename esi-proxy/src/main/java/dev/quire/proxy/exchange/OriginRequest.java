package dev.quire.proxy.exchange;

import dev.quire.core.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * A request as it is to be sent to the origin.
 *
 * @param head with every field it is to carry but {@code Content-Length}, {@code Transfer-Encoding}
 *     and {@code Connection}, which belong to the connection
 * @param body null when there is none
 */
public record OriginRequest(RequestHead head, @Nullable RequestBody body) {}
