package dev.quire.proxy.fetch;

import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import dev.quire.proxy.exchange.OriginRequest;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;

/**
 * Requests as they stand on the wire: what the exchange asks for, and the connection's own fields.
 */
final class RequestMessages {

    private RequestMessages() {}

    /**
     * The head to send for {@code request}. Whatever it says itself about the connection, the
     * framing or an expectation is left out.
     *
     * @throws IllegalArgumentException if a part of it would not be that part on the wire
     */
    static HttpRequest of(OriginRequest request) {
        var head = request.head();
        var message =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.valueOf(head.method()), head.target());
        var headers = message.headers();
        head.fields()
                .forEach((name, value) -> {
                    if (!HopByHop.isHopByHop(name) && !RequestFields.isOfMessage(name)) {
                        headers.add(name, value);
                    }
                });
        var body = request.body();
        if (body == null) {
            if (expectsContent(head.method())) {
                headers.set(HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
            }
            return message;
        }
        if (body.length() < 0) {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        } else {
            headers.set(HttpHeaderNames.CONTENT_LENGTH, body.length());
        }
        if (body.expectsContinue()) {
            headers.set(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE);
        }
        return message;
    }

    // RFC 9110 §8.6: these say so when they have none.
    private static boolean expectsContent(String method) {
        return switch (method) {
            case "POST", "PUT", "PATCH" -> true;
            default -> false;
        };
    }
}
