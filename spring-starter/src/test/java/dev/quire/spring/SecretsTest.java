package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.invalidate.SurrogateProperties;
import dev.quire.spring.internal.settings.StampProperties;
import dev.quire.spring.internal.settings.VariantsProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Secrets do not appear in output for operators and developers. */
@SpringBootTest(
        classes = Club.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.env.show-values=always",
            "management.endpoint.configprops.show-values=always",
            "quire.dev.enabled=true",
            "quire.stamp.placeholder=" + SecretsTest.PLACEHOLDER,
            "quire.variants.secret=" + SecretsTest.SECRET,
            "QUIRE_SURROGATE_TOKEN=" + SecretsTest.TOKEN
        })
class SecretsTest {

    static final String PLACEHOLDER = "placeholder-of-22-char";
    static final String SECRET = "secret-of-variants-with-32-characters";
    static final String TOKEN = "token-of-surrogate";

    @LocalServerPort private int port;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/configprops",
                "/actuator/env",
                "/actuator/beans",
                "/actuator/quire",
                "/quire-dev/fragments"
            })
    void whatIsShownHasNoSecret(String target) {
        var shown = Visitor.of(port).get(target);

        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.body()).isNotEmpty().doesNotContain(PLACEHOLDER, SECRET, TOKEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"quire.stamp.placeholder", "quire.variants.secret", "QUIRE_SURROGATE_TOKEN"})
    void aSecretIsMaskedUnderItsName(String name) {
        assertThat(Visitor.of(port).get("/actuator/env/" + name).body())
                .contains("\"value\":\"******\"")
                .doesNotContain(PLACEHOLDER, SECRET, TOKEN);
    }

    @Test
    void whatIsNoSecretIsShown() {
        assertThat(Visitor.of(port).get("/actuator/env/quire.dev.enabled").body())
                .contains("\"value\":\"true\"");
    }

    @Test
    void aLogHasNoSecret() {
        assertThat(
                        List.of(
                                        new StampProperties(true, PLACEHOLDER),
                                        Placeholder.of(new StampProperties(true, PLACEHOLDER)),
                                        new VariantsProperties(
                                                "esi-variant",
                                                SECRET,
                                                Duration.ofHours(1),
                                                List.of()),
                                        new SurrogateProperties(
                                                List.of(URI.create("http://127.0.0.1:9901")),
                                                SurrogateConnectionDetails.Type.QUIRE,
                                                TOKEN,
                                                Duration.ofSeconds(1)))
                                .toString())
                .contains("StampProperties[", "VariantsProperties[", "SurrogateProperties[")
                .doesNotContain(PLACEHOLDER, SECRET, TOKEN);
    }
}
