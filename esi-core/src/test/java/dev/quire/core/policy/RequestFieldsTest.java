package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/esi.md, The request of a fragment. */
class RequestFieldsTest {

    /** May be forwarded, makes a claim, set by an include, of the page's request only. */
    @ParameterizedTest
    @CsvSource({
        "Accept,                 true,  false, true,  false",
        "Accept-Language,        true,  false, true,  false",
        "Cookie,                 true,  false, true,  false",
        "Authorization,          true,  false, true,  false",
        "Content-Type,           true,  false, true,  true",
        "Content-Length,         false, false, false, true",
        "Expect,                 false, false, false, true",
        "Accept-Encoding,        true,  false, false, true",
        "Range,                  true,  false, false, true",
        "If-None-Match,          true,  false, false, true",
        "If-Schedule-Tag-Match,  true,  false, false, true",
        "Host,                   true,  false, false, false",
        "Via,                    true,  false, false, false",
        "Esi-Variant,            true,  false, false, false",
        "Forwarded,              true,  true,  false, false",
        "X-Forwarded-For,        true,  true,  false, false",
        "X-Forwarded-Prefix,     true,  true,  false, false",
        "X-Real-IP,              true,  true,  false, false",
        "Client-Cert,            true,  true,  false, false",
        "Front-End-Https,        true,  true,  false, false",
        "X-Forwarded,            true,  true,  false, false",
        "X-HTTP-Host-Override,   true,  true,  false, false",
        "X-Original-Host,        true,  true,  false, false",
        "X-Original-URI,         true,  true,  false, false",
        "X-Remote-User,          true,  true,  false, false",
        "X-Rewrite-Uri,          true,  true,  false, false",
        "X-Scheme,               true,  true,  false, false",
        "X-Url-Scheme,           true,  true,  false, false",
        "Remote-User,            true,  true,  false, false",
        "Remote-Groups,          true,  true,  false, false",
        "X-Authenticated-User,   true,  true,  false, false",
        "X-Auth-Request-Email,   true,  true,  false, false",
        "X-Remote-Group,         true,  true,  false, false",
        "X-WEBAUTH-USER,         true,  true,  false, false",
        "Script-Name,            true,  true,  false, false",
        "SSL-Client-Cert,        true,  true,  false, false",
        "X-SSL-Client-Verify,    true,  true,  false, false",
        "X-Client-Cert-Chain,    true,  true,  false, false",
        "X-Forwarded-User,       true,  true,  false, false",
        "X-Authentication,       true,  false, true,  false",
        "Remote-Users,           true,  false, true,  false",
        "Proxy,                  false, false, false, false",
        "X-HTTP-Method-Override, false, false, false, false",
        "X-Original-URL,         false, false, false, false",
        "Surrogate-Capability,   false, false, false, false",
        "X-ESI-Level,            false, false, false, false",
    })
    void eachFieldHasItsWay(
            String name, boolean goesUp, boolean isClaim, boolean edited, boolean ofPage) {
        assertThat(RequestFields.goesUp(name)).isEqualTo(goesUp);
        assertThat(RequestFields.isClaim(name)).isEqualTo(isClaim);
        assertThat(RequestFields.mayBeEdited(name)).isEqualTo(edited);
        assertThat(RequestFields.isOfPageOnly(name)).isEqualTo(ofPage);
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
