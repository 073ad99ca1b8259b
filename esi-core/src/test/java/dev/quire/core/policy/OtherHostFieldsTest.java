package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OtherHostFieldsTest {
    private static final CacheKey FRAGMENT = new CacheKey(Scheme.HTTP, "partner.test:81", "/f");

    private static Fields sent(String... namesAndValues) {
        return new OtherHostFields(Fields.of(namesAndValues), null, FRAGMENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cookie",
                "authorization",
                "X-Api-Key",
                "X-Auth-Token",
                "X-Anything",
                "Esi-Variant",
                "Referer",
                "Forwarded",
                "X-Forwarded-For",
                "X-Forwarded-Prefix",
                "X-Real-IP",
                "Client-Cert",
                "Proxy-Authorization",
                "SSL-Client-Verify",
                "X-Remote-User",
                "Accept-Charset",
                "Host"
            })
    void clientsFieldIsAbsent(String name) {
        var fields = sent(name, "secret");

        assertThat(fields.first(name)).isNull();
        assertThat(fields.all(name)).isEmpty();
        fields.forEach((each, value) -> assertThat(value).isNotEqualTo("secret"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept",
                "accept-language",
                "User-Agent",
                "Via",
                "TraceParent",
                "tracestate"
            })
    void fieldThatDescribesTheRequestIsPresent(String name) {
        var fields = sent(name, "a", name, "b");
        var lines = new ArrayList<String>();

        fields.forEach((each, value) -> lines.add(each + ": " + value));

        assertThat(fields.first(name)).isEqualTo("a");
        assertThat(fields.all(name)).containsExactly("a", "b");
        assertThat(lines).contains(name + ": a", name + ": b");
    }

    @Test
    void schemeAndAuthorityAreThoseOfTheFragment() {
        var fields = sent("X-Forwarded-Proto", "https", "X-Forwarded-Host", "page.test");
        var lines = new ArrayList<String>();

        fields.forEach((name, value) -> lines.add(name + ": " + value));

        assertThat(lines)
                .containsExactly("X-Forwarded-Proto: http", "X-Forwarded-Host: partner.test:81");
        assertThat(fields.first("x-forwarded-proto")).isEqualTo("http");
        assertThat(fields.all("x-forwarded-host")).containsExactly("partner.test:81");
    }
}
