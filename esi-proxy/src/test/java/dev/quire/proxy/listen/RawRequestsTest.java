package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decodes raw bytes, whole and split at every position. */
class RawRequestsTest {
    private static final String NEXT = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String NEXT_SEEN = "GET http://h /next";

    @ParameterizedTest(name = "{0}")
    @MethodSource({
        "framing",
        "chunks",
        "lines",
        "limits",
        "versions",
        "targets",
        "hosts",
        "fields"
    })
    void comesOutTheSameHoweverItIsCut(String name, String raw, List<String> expected) {
        assertThat(outcome(raw)).isEqualTo(expected);

        var bytewise = raw.split("");
        assertThat(outcome(bytewise)).isEqualTo(expected);
        // Long cases test limits, so they are split only near both ends.
        int edge = 200;
        for (int cut = 1; cut < raw.length(); cut++) {
            if (cut < edge || cut > raw.length() - edge) {
                assertThat(outcome(raw.substring(0, cut), raw.substring(cut)))
                        .as("cut at %d", cut)
                        .isEqualTo(expected);
            }
        }
    }

    static Stream<Arguments> framing() {
        return Stream.of(
                sound(
                        "length",
                        post("Content-Length: 5\r\n", "hello"),
                        "POST http://h /p body=5",
                        "data hello",
                        "end"),
                sound("length of nothing", post("Content-Length: 0\r\n", ""), "POST http://h /p"),
                sound(
                        "chunked",
                        post("Transfer-Encoding: Chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
                        "POST http://h /p body=-1",
                        "data hello",
                        "end"),
                sound(
                        "body on GET",
                        get("Content-Length: 3\r\n") + "abc",
                        "GET http://h / body=3",
                        "data abc",
                        "end"),
                sound(
                        "expects continue",
                        post("Content-Length: 1\r\nExpect: 100-Continue\r\n", "x"),
                        "POST http://h /p body=1 expects-continue",
                        "data x",
                        "end"),
                refused(
                        "CL.TE",
                        post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                        "400 LENGTH_AND_CODING close"),
                refused(
                        "TE.CL",
                        post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
                        "400 LENGTH_AND_CODING close"),
                refused(
                        "TE.TE",
                        post(
                                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                "0\r\n\r\n"),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "TE.TE, other coding first",
                        post("Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "chunked twice",
                        post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "chunked not last",
                        post("Transfer-Encoding: chunked, gzip\r\n", ""),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "chunked, identity",
                        post("Transfer-Encoding: chunked, identity\r\n", ""),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "unknown coding",
                        post("Transfer-Encoding: gzip, chunked\r\n", ""),
                        "501 UNKNOWN_TRANSFER_CODING close"),
                refused(
                        "almost chunked",
                        post("Transfer-Encoding: xchunked\r\n", ""),
                        "501 UNKNOWN_TRANSFER_CODING close"),
                refused(
                        "chunked with parameter",
                        post("Transfer-Encoding: chunked;q=1\r\n", ""),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "quoted chunked",
                        post("Transfer-Encoding: \"chunked\"\r\n", ""),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "empty coding",
                        post("Transfer-Encoding:\r\n", ""),
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "vertical tab before chunked",
                        post("Transfer-Encoding: \u000bchunked\r\n", ""),
                        "400 BAD_FIELD_VALUE close"),
                refused(
                        "TE in 1.0",
                        "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        "400 BAD_TRANSFER_ENCODING close"),
                refused(
                        "two lengths",
                        post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "the same length twice",
                        post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "list of lengths",
                        post("Content-Length: 5, 5\r\n", "hello"),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "signed length",
                        post("Content-Length: +5\r\n", "hello"),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "negative length",
                        post("Content-Length: -1\r\n", ""),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "hexadecimal length",
                        post("Content-Length: 0x5\r\n", "hello"),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "empty length",
                        post("Content-Length: \r\n", ""),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "length past all numbers",
                        post("Content-Length: 18446744073709551616\r\n", ""),
                        "400 BAD_CONTENT_LENGTH close"),
                refused(
                        "body of a dead WebSocket draft",
                        get("Sec-WebSocket-Key1: a\r\nSec-WebSocket-Key2: b\r\n") + "GET /evi",
                        "400 AMBIGUOUS_LENGTH close"));
    }

    static Stream<Arguments> chunks() {
        return Stream.of(
                sound(
                        "extensions are dropped, and trailers follow the body",
                        chunked(
                                "5;a=\"b\"\r\nhello\r\n0;x\r\nX-Trailer: 1\r\nContent-Length: 3\r\n\r\n"),
                        "POST http://h /p body=-1",
                        "data hello",
                        "end X-Trailer=1"),
                fault("bare LF behind the size", "5\nhello\r\n0\r\n\r\n"),
                fault("bare CR behind the size", "5\rhello\r\n0\r\n\r\n"),
                fault("bare LF in an extension", "5;a\nb\r\nhello\r\n0\r\n\r\n"),
                fault("CR in a quoted extension", "5;a=\"\rb\"\r\nhello\r\n0\r\n\r\n"),
                fault("no size", "\r\nhello\r\n0\r\n\r\n"),
                fault("signed size", "+5\r\nhello\r\n0\r\n\r\n"),
                fault("prefixed size", "0x5\r\nhello\r\n0\r\n\r\n"),
                fault("two sizes", "5 5\r\nhello\r\n0\r\n\r\n"),
                fault("size past all numbers", "100000000000000005\r\nhello\r\n0\r\n\r\n"),
                fault("size line too long", "5;" + "a".repeat(9000) + "\r\nhello\r\n0\r\n\r\n"),
                faultAfter("spill", "5\r\nhelloX\r\n0\r\n\r\n", "data hello"),
                faultAfter("bare LF behind the data", "5\r\nhello\n0\r\n\r\n", "data hello"),
                faultAfter(
                        "bare LF in the trailers", "5\r\nhello\r\n0\r\nX: 1\n\r\n", "data hello"),
                faultAfter(
                        "trailers too long",
                        "5\r\nhello\r\n0\r\nX: " + "a".repeat(66_000) + "\r\n\r\n",
                        "data hello"));
    }

    static Stream<Arguments> lines() {
        return Stream.of(
                sound("plain", get(""), "GET http://h /"),
                sound("one empty line in front", "\r\n" + get(""), "GET http://h /"),
                sound("white space around a value", get("X: \t a b \t\r\n"), "GET http://h /"),
                sound("obs-text in a value", get("X: \u00fc\r\n"), "GET http://h /"),
                refused("two empty lines in front", "\r\n\r\n" + get(""), "400 BAD_START close"),
                refused("bare LF in front", "\n" + get(""), "400 BARE_LF close"),
                refused("space in front", " " + get(""), "400 BAD_START close"),
                refused(
                        "control character in front",
                        "\u0001" + get(""),
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "bare LF behind the request line",
                        "GET / HTTP/1.1\nHost: h\r\n\r\n",
                        "400 BARE_LF close"),
                refused(
                        "bare CR behind the request line",
                        "GET / HTTP/1.1\rHost: h\r\n\r\n",
                        "400 BARE_CR close"),
                refused(
                        "bare LF behind a field",
                        "GET / HTTP/1.1\r\nHost: h\n\r\n",
                        "400 BARE_LF close"),
                refused(
                        "bare LF as the last line",
                        "GET / HTTP/1.1\r\nHost: h\r\n\n",
                        "400 BARE_LF close"),
                refused("bare CR in a value", get("X: a\rb\r\n"), "400 BARE_CR close"),
                refused("CR CR LF", get("X: a\r\r\n"), "400 BARE_CR close"),
                refused("NUL in a value", get("X: a\u0000b\r\n"), "400 BAD_FIELD_VALUE close"),
                refused("DEL in a value", get("X: a\u007fb\r\n"), "400 BAD_FIELD_VALUE close"),
                refused("fold", get("X: a\r\n b\r\n"), "400 OBS_FOLD close"),
                refused("fold with a tab", get("X: a\r\n\tb\r\n"), "400 OBS_FOLD close"),
                refused(
                        "space before the first field",
                        "GET / HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: h\r\n\r\n",
                        "400 OBS_FOLD close"),
                refused("space before the colon", get("X : a\r\n"), "400 BAD_FIELD_NAME close"),
                refused("tab before the colon", get("X\t: a\r\n"), "400 BAD_FIELD_NAME close"),
                refused("no name", get(": a\r\n"), "400 BAD_FIELD_NAME close"),
                refused("no colon", get("Xa\r\n"), "400 BAD_FIELD_NAME close"),
                refused("NUL in a name", get("X\u0000: a\r\n"), "400 BAD_FIELD_NAME close"),
                refused("high byte in a name", get("X\u00fc: a\r\n"), "400 BAD_FIELD_NAME close"),
                refused("slash in a name", get("X/Y: a\r\n"), "400 BAD_FIELD_NAME close"),
                refused(
                        "two spaces before the target",
                        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "two spaces before the version",
                        "GET /  HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "space behind the version",
                        "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "tab in the request line",
                        "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "space in the target",
                        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_VERSION close"),
                refused(
                        "high byte in the target",
                        "GET /\u00fc HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "NUL in the target",
                        "GET /\u0000 HTTP/1.1\r\nHost: h\r\n\r\n",
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "TLS on the plain port",
                        "\u0016\u0003\u0001\u0002\u0000\u0001",
                        "400 BAD_REQUEST_LINE close"));
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                sound(
                        "request line of 8 KiB",
                        request("GET /" + "a".repeat(8192 - 14) + " HTTP/1.1"),
                        "GET http://h /" + "a".repeat(8192 - 14)),
                refused(
                        "request line past 8 KiB",
                        request("GET /" + "a".repeat(8193 - 14) + " HTTP/1.1"),
                        "414 REQUEST_LINE_TOO_LONG close"),
                sound(
                        "field of 16 KiB",
                        get("X: " + "a".repeat(16384 - 3) + "\r\n"),
                        "GET http://h /"),
                refused(
                        "field past 16 KiB",
                        get("X: " + "a".repeat(16385 - 3) + "\r\n"),
                        "431 FIELD_TOO_LONG close"),
                refused("name past 16 KiB", get("X".repeat(16385)), "431 FIELD_TOO_LONG close"),
                sound(
                        "head just below 64 KiB",
                        get(("X: " + "a".repeat(8100) + "\r\n").repeat(8)),
                        "GET http://h /"),
                refused(
                        "head past 64 KiB",
                        get(
                                ("X: " + "a".repeat(8100) + "\r\n").repeat(8)
                                        + "X: "
                                        + "a".repeat(800)
                                        + "\r\n"),
                        "431 HEAD_TOO_LONG close"),
                sound("200 fields", get("X: 1\r\n".repeat(199)), "GET http://h /"),
                refused("201 fields", get("X: 1\r\n".repeat(200)), "431 TOO_MANY_FIELDS close"),
                sound(
                        "method of 32 characters",
                        request("M".repeat(32) + " / HTTP/1.1"),
                        "M".repeat(32) + " http://h /"),
                refused(
                        "method of 33 characters",
                        request("M".repeat(33) + " / HTTP/1.1"),
                        "501 METHOD_TOO_LONG close"),
                refused(
                        "method of 2000 characters",
                        request("M".repeat(2000) + " / HTTP/1.1"),
                        "501 METHOD_TOO_LONG close"));
    }

    static Stream<Arguments> versions() {
        return Stream.of(
                ending("HTTP/1.0", request("GET / HTTP/1.0"), "GET http://h / close"),
                sound(
                        "HTTP/1.0 with keep-alive",
                        "GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n",
                        "GET http://h /"),
                ending("close", get("Connection: foo, Close\r\n"), "GET http://h / close"),
                ending(
                        "close with a body",
                        post("Connection: close\r\nContent-Length: 2\r\n", "ab"),
                        "POST http://h /p close body=2",
                        "data ab",
                        "end"),
                refused("HTTP/0.9", "GET /\r\n", "400 BAD_REQUEST_LINE close"),
                refused(
                        "HTTP/0.9 with a version",
                        request("GET / HTTP/0.9"),
                        "400 BAD_VERSION close"),
                refused("HTTP/1.2", request("GET / HTTP/1.2"), "505 UNSUPPORTED_VERSION close"),
                refused("HTTP/2.0", request("GET / HTTP/2.0"), "505 UNSUPPORTED_VERSION close"),
                refused("HTTP/9.9", request("GET / HTTP/9.9"), "505 UNSUPPORTED_VERSION close"),
                refused(
                        "HTTP/2 preface",
                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                        "505 UNSUPPORTED_VERSION close"),
                refused("lower case", request("GET / http/1.1"), "400 BAD_VERSION close"),
                refused("HTTP/1.10", request("GET / HTTP/1.10"), "400 BAD_VERSION close"),
                refused("HTTP/1", request("GET / HTTP/1"), "400 BAD_VERSION close"),
                refused("HTTP/11", request("GET / HTTP/11"), "400 BAD_VERSION close"),
                refused("HTTPS/1.1", request("GET / HTTPS/1.1"), "400 BAD_VERSION close"));
    }

    static Stream<Arguments> targets() {
        return Stream.of(
                sound(
                        "query",
                        request("GET /a?b=c%20d|{e} HTTP/1.1"),
                        "GET http://h /a?b=c%20d|{e}"),
                sound(
                        "lone percent signs in the query",
                        request("GET /a?q=100%&r=%4&s=%zz% HTTP/1.1"),
                        "GET http://h /a?q=100%&r=%4&s=%zz%"),
                sound(
                        "characters that browsers do not encode",
                        request("GET /a?q=`x^\\[]\"<>? HTTP/1.1"),
                        "GET http://h /a?q=`x^\\[]\"<>?"),
                sound(
                        "all high bytes in the query",
                        request("GET /a?" + highBytes() + " HTTP/1.1"),
                        "GET http://h /a?" + highBytes()),
                sound(
                        "high bytes in the query of an absolute form",
                        request("GET http://o?\u00fc% HTTP/1.1"),
                        "GET http://o /?\u00fc%"),
                refused(
                        "high byte in the host of an absolute form",
                        request("GET http://o\u00fc?a HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "space behind a high byte in the query",
                        request("GET /a?\u00fc b HTTP/1.1"),
                        "400 BAD_VERSION close"),
                refused(
                        "tab in the query",
                        request("GET /a?b\tc HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "CR in the query",
                        request("GET /a?b\rc HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"),
                refused("LF in the query", request("GET /a?b\nc HTTP/1.1"), "400 BARE_LF close"),
                refused(
                        "NUL in the query",
                        request("GET /a?b\u0000c HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"),
                refused(
                        "DEL in the query",
                        request("GET /a?b\u007fc HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"),
                refused("%00 in the query", request("GET /?a%00 HTTP/1.1"), "400 BAD_TARGET close"),
                refused(
                        "fragment behind a query",
                        request("GET /?a#b HTTP/1.1"),
                        "400 BAD_TARGET close"),
                refused(
                        "lone percent in the path",
                        request("GET /100% HTTP/1.1"),
                        "400 BAD_TARGET close"),
                refused(
                        "dots inside the root",
                        request("GET /a/./b/../c HTTP/1.1"),
                        "400 DOT_SEGMENT close"),
                sound(
                        "absolute form",
                        request("GET http://Other:81/a?b HTTP/1.1"),
                        "GET http://Other:81 /a?b"),
                sound(
                        "absolute form without path",
                        request("GET HTTP://o HTTP/1.1"),
                        "GET http://o /"),
                sound(
                        "absolute form, query only",
                        request("GET http://o?q HTTP/1.1"),
                        "GET http://o /?q"),
                sound("OPTIONS *", request("OPTIONS * HTTP/1.1"), "OPTIONS http://h *"),
                sound(
                        "OPTIONS, absolute form",
                        request("OPTIONS http://o HTTP/1.1"),
                        "OPTIONS http://o *"),
                sound("unknown method", request("get /a HTTP/1.1"), "get http://h /a"),
                refused("GET *", request("GET * HTTP/1.1"), "400 BAD_TARGET close"),
                refused("no slash", request("GET a HTTP/1.1"), "400 BAD_TARGET close"),
                refused("query without a path", request("GET ?a HTTP/1.1"), "400 BAD_TARGET close"),
                refused("fragment", request("GET /a#b HTTP/1.1"), "400 BAD_TARGET close"),
                refused("backslash", request("GET /a\\b HTTP/1.1"), "400 BAD_TARGET close"),
                refused("%zz", request("GET /%zz HTTP/1.1"), "400 BAD_TARGET close"),
                refused("cut triplet", request("GET /%4 HTTP/1.1"), "400 BAD_TARGET close"),
                refused("%00", request("GET /a%00 HTTP/1.1"), "400 BAD_TARGET close"),
                refused(
                        "dots leave the root",
                        request("GET /../a HTTP/1.1"),
                        "400 DOT_SEGMENT close"),
                refused("https", request("GET https://o/ HTTP/1.1"), "400 BAD_TARGET close"),
                refused("ftp", request("GET ftp://o/ HTTP/1.1"), "400 BAD_TARGET close"),
                refused("userinfo", request("GET http://u@o/ HTTP/1.1"), "400 BAD_TARGET close"),
                refused(
                        "empty authority",
                        request("GET http:///a HTTP/1.1"),
                        "400 BAD_TARGET close"),
                refused(
                        "CONNECT",
                        request("CONNECT h:443 HTTP/1.1"),
                        "405 METHOD_NOT_ALLOWED close"),
                sound("TRACE", request("TRACE / HTTP/1.1"), "405 METHOD_NOT_ALLOWED"),
                refused(
                        "TRACE with a body",
                        "TRACE / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
                        "405 METHOD_NOT_ALLOWED close"),
                refused(
                        "method with a slash",
                        request("GE/T / HTTP/1.1"),
                        "400 BAD_REQUEST_LINE close"));
    }

    private static String highBytes() {
        var bytes = new StringBuilder();
        for (char c = 0x80; c <= 0xff; c++) {
            bytes.append(c);
        }
        return bytes.toString();
    }

    static Stream<Arguments> hosts() {
        return Stream.of(
                sound("port", host("h:8080"), "GET http://h:8080 /"),
                sound("IPv6", host("[::1]:8080"), "GET http://[::1]:8080 /"),
                refused("none", "GET / HTTP/1.1\r\n\r\n", "400 NOT_ONE_HOST close"),
                refused("none in 1.0", "GET / HTTP/1.0\r\n\r\n", "400 NO_DEFAULT_HOST close"),
                refused(
                        "none with absolute form",
                        "GET http://h/ HTTP/1.1\r\n\r\n",
                        "400 NOT_ONE_HOST close"),
                refused("two", get("Host: h\r\n"), "400 NOT_ONE_HOST close"),
                refused(
                        "two that differ in case",
                        get("hOST: other\r\n"),
                        "400 NOT_ONE_HOST close"),
                refused("empty", host(""), "400 BAD_HOST close"),
                refused("two in one", host("a, b"), "400 BAD_HOST close"),
                refused("userinfo", host("u@h"), "400 BAD_HOST close"),
                refused("path", host("h/a"), "400 BAD_HOST close"),
                refused("port zero", host("h:0"), "400 BAD_HOST close"),
                refused("port past 65535", host("h:65536"), "400 BAD_HOST close"),
                refused(
                        "absurd beside absolute form",
                        "GET http://o/ HTTP/1.1\r\nHost: a b\r\n\r\n",
                        "400 BAD_HOST close"));
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                sound(
                        "other hop's names",
                        get("Connection: x-a, TE,, upgrade\r\n"),
                        "GET http://h /"),
                refused(
                        "Connection: Host",
                        get("Connection: close, Host\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: Cookie",
                        get("Connection: cookie\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: Authorization",
                        get("Connection: Authorization\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: Cache-Control",
                        get("Connection: Cache-Control\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: Content-Length",
                        post("Connection: content-length\r\nContent-Length: 1\r\n", "x"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: X-Forwarded-For",
                        get("Connection: x-forwarded-for\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection: Surrogate-Capability",
                        get("Connection: surrogate-capability\r\n"),
                        "400 BAD_CONNECTION close"),
                refused(
                        "Connection that is not a list of names",
                        get("Connection: \"close\"\r\n"),
                        "400 BAD_CONNECTION close"),
                sound("other expectation", get("Expect: 200-ok\r\n"), "417 UNKNOWN_EXPECTATION"),
                refused(
                        "other expectation with a body",
                        post("Expect: 200-ok\r\nContent-Length: 1\r\n", "x"),
                        "417 UNKNOWN_EXPECTATION close"),
                sound(
                        "expectation without a body",
                        get("Expect: 100-continue\r\n"),
                        "GET http://h /"),
                sound("another proxy", get("Via: 1.1 quire2, 1.0 squire\r\n"), "GET http://h /"),
                sound("another of us", get("Via: 1.1 quire\r\n"), "GET http://h /"),
                sound(
                        "loop",
                        get("Via: 1.1 quire, 1.0 other, HTTP/1.1 Quire (x)\r\n"),
                        "508 LOOP"));
    }

    private static List<String> outcome(String... pieces) {
        try (var client = new ClientConnection(true)) {
            for (var piece : pieces) {
                client.send(piece);
            }
            return client.messages();
        }
    }

    /** The request and the one after it. */
    private static Arguments sound(String name, String raw, String... messages) {
        var expected = new ArrayList<>(List.of(messages));
        expected.add(NEXT_SEEN);
        return Arguments.of(name, raw + NEXT, List.copyOf(expected));
    }

    /** The request and nothing after it. */
    private static Arguments ending(String name, String raw, String... messages) {
        return Arguments.of(name, raw + NEXT, List.of(messages));
    }

    private static Arguments refused(String name, String raw, String refusal) {
        return ending(name, raw, refusal);
    }

    private static Arguments fault(String name, String chunks) {
        return ending(name, chunked(chunks), "POST http://h /p body=-1", "fault BAD_CHUNK");
    }

    private static Arguments faultAfter(String name, String chunks, String data) {
        return ending(name, chunked(chunks), "POST http://h /p body=-1", data, "fault BAD_CHUNK");
    }

    private static String get(String fields) {
        return "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
    }

    private static String host(String host) {
        return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    private static String request(String line) {
        return line + "\r\nHost: h\r\n\r\n";
    }

    private static String post(String fields, String body) {
        return "POST /p HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body;
    }

    private static String chunked(String body) {
        return post("Transfer-Encoding: chunked\r\n", body);
    }
}
