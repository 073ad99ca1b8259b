package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, The request of a fragment. */
class RequestFieldsTest {

    /**
     * Forwarded for an untrusted client, for a trusted peer, set by an include, of the page's
     * request only.
     */
    @ParameterizedTest
    @CsvSource({
        "Accept,                 true,  true,  true,  false",
        "Accept-Language,        true,  true,  true,  false",
        "Cookie,                 true,  true,  true,  false",
        "Authorization,          true,  true,  true,  false",
        "Content-Type,           true,  true,  true,  true",
        "Content-Length,         false, false, false, true",
        "Expect,                 false, false, false, true",
        "Accept-Encoding,        true,  true,  false, true",
        "Range,                  true,  true,  false, true",
        "If-None-Match,          true,  true,  false, true",
        "If-Schedule-Tag-Match,  true,  true,  false, true",
        "Host,                   true,  true,  false, false",
        "Via,                    true,  true,  false, false",
        "Esi-Variant,            true,  true,  false, false",
        "Forwarded,              false, true,  false, false",
        "X-Forwarded-For,        false, true,  false, false",
        "X-Forwarded-Prefix,     false, true,  false, false",
        "X-Real-IP,              false, true,  false, false",
        "Proxy,                  false, false, false, false",
        "X-HTTP-Method-Override, false, false, false, false",
        "X-Original-URL,         false, false, false, false",
        "Surrogate-Capability,   false, false, false, false",
        "X-ESI-Level,            false, false, false, false",
    })
    void eachFieldHasItsWay(
            String name,
            boolean fromStranger,
            boolean fromTrusted,
            boolean edited,
            boolean ofPage) {
        assertThat(RequestFields.goesUp(name, false)).isEqualTo(fromStranger);
        assertThat(RequestFields.goesUp(name, true)).isEqualTo(fromTrusted);
        assertThat(RequestFields.mayBeEdited(name)).isEqualTo(edited);
        assertThat(RequestFields.isOfPageOnly(name)).isEqualTo(ofPage);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cookie",
                "authorization",
                "Esi-Variant",
                "Referer",
                "Forwarded",
                "X-Forwarded-For",
                "X-Real-IP",
                "Client-Cert",
                "Client-Cert-Chain",
                "X-Forwarded-Client-Cert",
                "Proxy-Authorization",
                "SSL-Client-Verify"
            })
    void anotherHostHearsNothingOfTheClient(String name) {
        assertThat(RequestFields.isForOwnHostOnly(name)).isTrue();
        assertThat(RequestFields.isForOwnHostOnly("X-" + name + "-Not")).isFalse();
    }

    @Test
    void fragmentsAreJudgedByAGetWithoutConditionsAndBody() {
        var post =
                new RequestHead(
                        "POST",
                        Scheme.HTTPS,
                        "a.test",
                        "/p",
                        Fields.of("If-Match", "x", "Content-Type", "a/b", "Accept", "c"));
        var get = new RequestHead("GET", Scheme.HTTP, "a.test", "/", Fields.of("Range", "x"));

        assertThat(RequestFields.ofFragments(post))
                .isEqualTo(
                        new RequestHead(
                                "GET", Scheme.HTTPS, "a.test", "/p", Fields.of("Accept", "c")));
        assertThat(RequestFields.ofFragments(get)).isSameAs(get);
    }
}
