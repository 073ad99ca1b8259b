package dev.quire.proxy.fetch;

import dev.quire.core.policy.CdnLoop;
import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.route.OriginSettings;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;

/** Builds the requests sent to origins: the fields of the request and those of the connection. */
final class RequestMessages {
    private static final AsciiString CAPABILITY = AsciiString.cached("Surrogate-Capability");

    private RequestMessages() {}

    /** Each attempt gets a new stamp: the stamp of an earlier attempt may be known to others. */
    static void stamp(HttpRequest message, OriginRequest request, ResponseSink sink) {
        var capabilities = request.capabilities();
        if (capabilities != null) {
            message.headers().set(CAPABILITY, capabilities.stamped(sink));
        }
    }

    /**
     * The head to send for {@code request}, without its connection and framing fields and Expect.
     *
     * @param origin decides on Host, Via and CDN-Loop
     * @throws IllegalArgumentException if a part of it is not valid in HTTP/1.1
     */
    static HttpRequest of(OriginRequest request, OriginSettings origin) {
        boolean sendsVia = origin.sendsVia();
        var head = request.head();
        var message =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.valueOf(head.method()), head.target());
        var headers = message.headers();
        head.fields()
                .forEach((name, value) -> {
                    if (!HopByHop.isHopByHop(name)
                            && !RequestFields.isOfMessage(name)
                            && (sendsVia || !name.equalsIgnoreCase("Via"))) {
                        headers.add(name, value);
                    }
                });
        origin.host().ifPresent(host -> headers.set(HttpHeaderNames.HOST, host));
        if (!sendsVia) {
            headers.add(CdnLoop.FIELD, CdnLoop.MEMBER);
        }
        if (request.takesTrailers()) {
            headers.set(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS);
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderNames.TE);
        }
        var upgrade = request.upgrade();
        if (upgrade != null) {
            upgrade.fields().forEach((name, value) -> headers.set(name, value));
        }
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

    // RFC 9110 §8.6: these methods send Content-Length: 0 if there is no body.
    private static boolean expectsContent(String method) {
        return switch (method) {
            case "POST", "PUT", "PATCH" -> true;
            default -> false;
        };
    }
}
